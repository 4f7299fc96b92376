/**
 * The states of a tool that a server publishes. Only a person moves it to `enabled`; a server can only take that away.
 *
 *   new ──▶ enabled ──▶ quarantined    the server changed it: an admin accepts the new one, or keeps it off
 *    │        │  ▲           │
 *    └──▶ off ┘  └───────────┘
 *
 * A decided tool that the server no longer lists is `gone`. If it is listed again exactly as it was, its former state returns;
 * otherwise it is quarantined. An undecided one is deleted.
 */
export type McpToolState = 'new' | 'enabled' | 'off' | 'quarantined' | 'gone'

export type KnownTool = {
  state: McpToolState
  stateBeforeGone: 'enabled' | 'off' | 'quarantined' | null
  found: string
  foundHash: string
  pinned: string | null
  /** Also null if the pinned object came from another server and no longer counts. */
  pinnedHash: string | null
}

/** It was enabled with other content than it has now: only an admin may accept that, even if it was kept off in between. */
export function isChangedTool({ pinned, pinnedHash, foundHash }: KnownTool): boolean {
  return pinned !== null && pinnedHash !== foundHash
}

export type Decision = 'enabled' | 'off'

/** Why the tool cannot move to this state, or null. Who may move it is decided elsewhere. */
export function judgeDecision(known: KnownTool, to: Decision): string | null {
  if (known.state === 'gone' && to !== 'off')
    return 'The server no longer lists this tool; it can only be off.'
  return null
}

/** What the server lists under a name: nothing, an unusable entry, or a usable one. */
type Listing = { hash: string; usable: boolean } | null

/** Pure on purpose: a listing leads to `enabled` only if it is the very object that a person enabled. Null means: delete it. */
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
