/** Passes on up to this many bytes; one more calls `refuse`, which throws and so ends the stream. */
export function countUpTo(
  maxBytes: number,
  refuse: () => never,
  onBytes?: () => void,
): TransformStream<Uint8Array, Uint8Array> {
  let size = 0
  return new TransformStream({
    transform(chunk, controller) {
      onBytes?.()
      size += chunk.length
      if (size > maxBytes) refuse()
      controller.enqueue(chunk)
    },
  })
}
