import { decodeComponent } from '../../platform/http-server/decode-component.ts'
import { resolvePointer } from '../../platform/json/resolve-pointer.ts'

/** The target of a local reference (`#/$defs/order`), or `undefined` (RFC 6901, as a URI fragment). */
export function resolveReference(root: unknown, reference: string): unknown {
  if (reference === '#') return root
  return reference.startsWith('#/')
    ? resolvePointer(root, reference.slice(2).split('/').map(decodeComponent))
    : undefined
}
