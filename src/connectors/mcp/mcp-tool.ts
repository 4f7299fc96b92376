/**
 * The life of a tool that a server publishes. Only a person moves it to `enabled`; a server can only take away.
 *
 *   new ──▶ enabled ──▶ quarantined    the server changed it: an admin accepts the new one, or keeps it off
 *    │        │  ▲           │
 *    └──▶ off ┘  └───────────┘
 *
 * A person may also take back what was decided: `enabled` and `off` become `new` again, and what was kept off after a change
 * becomes `quarantined` again. Neither makes anything callable.
 * A decided tool that the server no longer lists is `gone`. Listed again exactly as it was, it is what it was before;
 * listed otherwise, it is quarantined. An undecided one just disappears.
 */
export type McpToolState = 'new' | 'enabled' | 'off' | 'quarantined' | 'gone'

export type KnownTool = {
  state: McpToolState
  stateBeforeGone: 'enabled' | 'off' | 'quarantined' | null
  found: string
  foundHash: string
  pinned: string | null
  /** Null also where something is pinned that counts no more: it came from another server. */
  pinnedHash: string | null
}

/** It was enabled once, as something else than it is now: only an admin accepts that, also after it was kept off for a while. */
export function isChangedTool({ pinned, pinnedHash, foundHash }: KnownTool): boolean {
  return pinned !== null && pinnedHash !== foundHash
}

export type Decision = 'enabled' | 'off' | 'new' | 'quarantined'

/** Why a person cannot move the tool there, or null. Who may is another question. */
export function judgeDecision(known: KnownTool, to: Decision): string | null {
  if (known.state === 'gone' && to !== 'off')
    return 'The server no longer lists this tool; it can only be off.'
  if (to === 'new' && isChangedTool(known))
    return 'The server has changed this tool: enable it or keep it off.'
  if (to === 'quarantined' && !isChangedTool(known)) return 'Only a tool that was changed waits for a look.'
  return null
}

/** What the list says of a name: nothing, an entry that cannot be used, or one that can. */
type Listing = { hash: string; usable: boolean } | null

/** Pure on purpose: no listing leads to `enabled` but the very object that a person has enabled. Null: forget it. */
export function judgeListing(known: KnownTool, listing: Listing): McpToolState | null {
  switch (known.state) {
    case 'new':
      return listing?.usable ? 'new' : null
    case 'off':
      return listing ? 'off' : 'gone'
    case 'quarantined':
      return listing ? 'quarantined' : 'gone'
    case 'enabled':
      if (!listing) return 'gone'
      return listing.usable && listing.hash === known.pinnedHash ? 'enabled' : 'quarantined'
    case 'gone':
      if (!listing) return 'gone'
      if (known.stateBeforeGone !== 'enabled') return known.stateBeforeGone ?? 'off'
      return listing.usable && listing.hash === known.pinnedHash ? 'enabled' : 'quarantined'
    default:
      throw new Error(`Unhandled state ${known.state satisfies never}`)
  }
}
