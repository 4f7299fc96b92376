/** The media type alone, for a line outside of the fences: whoever sent it must not get other text in there. */
export function mediaTypeOf(contentType: string | null): string | null {
  return contentType?.match(/^\s*([\w.+-]{1,60}\/[\w.+-]{1,60})\s*(;|$)/)?.[1] ?? null
}
