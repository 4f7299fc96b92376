/** Lets so many bytes through; at one more, `refuse` throws, and the stream ends with that. */
export function countUpTo(maxBytes: number, refuse: () => never): TransformStream<Uint8Array, Uint8Array> {
  let size = 0
  return new TransformStream({
    transform(chunk, controller) {
      size += chunk.length
      if (size > maxBytes) refuse()
      controller.enqueue(chunk)
    },
  })
}
