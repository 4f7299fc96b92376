/** Only the media type, for a line outside the fences: the sender must not get other text in there. */
export function mediaTypeOf(contentType: string | null): string | null {
  return contentType?.match(/^\s*([\w.+-]{1,60}\/[\w.+-]{1,60})\s*(;|$)/)?.[1] ?? null
}
