/** Words that CEL keeps for itself: after a dot, they cannot be read. */
const reserved: ReadonlySet<string> = new Set(['in', 'true', 'false', 'null'])

/** How a condition names a field: `input.amount`, or `input["order id"]` where the name has other signs or is reserved. */
export function conditionPath(parent: string, name: string): string {
  return /^[a-zA-Z_]\w*$/.test(name) && !reserved.has(name)
    ? `${parent}.${name}`
    : `${parent}[${JSON.stringify(name)}]`
}
