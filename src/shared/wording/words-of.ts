/** `orderId`, `order_id`, `Order-ID` and `order.id` are the same words. */
export function wordsOf(name: string): string[] {
  return (
    name
      .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  )
}
