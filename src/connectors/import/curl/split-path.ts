import { decodeComponent } from '../../../platform/http-server/decode-component.ts'

/** Part of a path: fixed text, or an id that becomes an input. */
type PathPart = { text: string } | { name: string; example: string | null; after: string }

/** Placeholders: `{id}` in OpenAPI, `{{id}}` in Postman, `:id`, `<id>` and `$ID` in manuals. */
const gap = /^(?:\{\{?\s*([\w.-]+)\s*\}?\}|:([A-Za-z][\w-]*)|<([\w .-]+)>|\$\{?(\w+)\}?)$/
/** Placeholders as in GitHub's documentation. Other words in capitals may be part of the address. */
const capitals = /^(?:OWNER|REPO|ORG|USERNAME|(?:[A-Z]+_)+(?:ID|NUMBER|NAME|SLUG))$/

/** What looks like an id. A word with an underscore needs a digit or an inner capital, so `merge_requests` is not one. */
const ids = [
  /^\d+$/,
  /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
  /^(?:[A-Za-z]{2,12}_)+(?:\d+|(?=[A-Za-z]*(?:\d|[a-z][A-Z]))[A-Za-z0-9]{6,})$/,
  /^[A-Z]{1,10}(-\d+)+$/,
]
/** Long random text may be an id or a secret, as in the addresses of incoming webhooks. So it is an input without an example. */
const random = /^(?=.*\d)(?=.*[a-z])[a-z0-9]{16,}$/i
/** `42.json` and `42:cancel`: an id and an ending. */
const withEnding = /^(.+?)(\.(?:json|xml|csv|pdf|txt|html)|:[a-z]\w*)?$/i

/** Splits an example path. A short number at its beginning is a version (`/2/users`). */
export function splitPath(pathname: string): PathPart[] {
  const segments = pathname.split('/')
  return segments.map((segment, place) => {
    const [, thing = '', after = ''] = withEnding.exec(decodeComponent(segment)) ?? []
    const name = gap.exec(thing)?.slice(1).find(Boolean) ?? capitals.exec(thing)?.[0]
    if (name !== undefined)
      return { name: name === name.toUpperCase() ? name.toLowerCase() : name, example: null, after }
    const isVersion = place === 1 && /^\d{1,3}$/.test(thing)
    const isId = ids.some((id) => id.test(thing))
    if (isVersion || !(isId || random.test(thing))) return { text: segment }
    return { name: idOf(segments[place - 1] ?? ''), example: isId ? thing : null, after }
  })
}

/** `customers` → `customer_id` */
function idOf(collection: string): string {
  if (!/^[a-z][a-z_-]*$/i.test(collection)) return 'id'
  const one = collection
    .replace(/ies$/, 'y')
    .replace(/(?<=ss|x|ch|sh)es$/, '')
    .replace(/(?<![su])s$/, '')
  return `${one}_id`
}
