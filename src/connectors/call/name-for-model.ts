import { createHash } from 'node:crypto'

const maxSlugLength = 24
const maxNameLength = 64

/** The first part of a connector's tool names: `Shop API (EU)` → `shop_api_eu`. */
export function slugFor(name: string, isTaken: (slug: string) => boolean): string {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .slice(0, maxSlugLength)
    .replace(/_+$/, '')
  const slug = /^[a-z]/.test(plain) ? plain : `api_${plain}`.replace(/_$/, '').slice(0, maxSlugLength)
  if (!isTaken(slug)) return slug
  for (let number = 2; ; number++) {
    const suffix = `_${number}`
    const next = slug.slice(0, maxSlugLength - suffix.length).replace(/_+$/, '') + suffix
    if (!isTaken(next)) return next
  }
}

/** `shop__get_order`. A name that is too long for model providers is cut and ends in a digest of the whole, so it stays unique. */
export function modelNameFor(slug: string, toolName: string): string {
  const name = `${slug}__${toolName}`
  if (name.length <= maxNameLength) return name
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 8)
  return `${name.slice(0, maxNameLength - digest.length - 1)}_${digest}`
}
