/** For lines outside of a fence, where whoever sent it may only say one of the words that a media type is made of. */
export function mediaTypeOf(contentType: string | null): string | null {
  return contentType?.match(/^\s*([\w.+-]{1,60}\/[\w.+-]{1,60})\s*(;|$)/)?.[1] ?? null
}
