type Body = Record<string, unknown>

/** The fields of a body to send that differ from what is saved: somebody else may have changed the rest meanwhile. */
export function changedOnly(body: Body, saved: Body, always: readonly string[] = []): Body {
  return Object.fromEntries(
    Object.entries(body).filter(
      ([name, value]) => always.includes(name) || JSON.stringify(value) !== JSON.stringify(saved[name]),
    ),
  )
}
