/** `_method`, `_httpmethod`, `__method`; `X-HTTP-Method`; `http_method_override`, `X-Method-Override` and their like. */
const overrides =
  /^(_+(x_)?(http_?|request_?)?method|x_(http_?)?method|_*(http_)?(x_)?(http_?)?method_?override)$/

/**
 * Frameworks take the method of a request from such a parameter, field or header (WordPress, Laravel, Rails, Symfony, OData …), so a
 * tool that reads could delete. PHP reads dots, spaces and hyphens in names as underscores, and ends a name at "[" or U+0000.
 */
export function changesMethod(name: string): boolean {
  const asRead = (/^[^[\0]*/.exec(name)?.[0] ?? '').trim().replaceAll(/[-. ]/g, '_').toLowerCase()
  return overrides.test(asRead)
}
