/**
 * The life of a tool that a server publishes. Only a person moves it to `enabled`; a server can only take away.
 *
 *   new ──▶ enabled ──▶ quarantined    the server changed it: an admin accepts the new one, or keeps it off
 *    │        │  ▲           │
 *    └──▶ off ┘  └───────────┘
 *
 * A decided tool that the server no longer lists is `gone`. Listed again exactly as it was, it is what it was before;
 * listed otherwise, it is quarantined. An undecided one just disappears.
 */
const mcpToolStates = ['new', 'enabled', 'off', 'quarantined', 'gone'] as const
export type McpToolState = (typeof mcpToolStates)[number]

export type KnownTool = {
  state: McpToolState
  stateBeforeGone: 'enabled' | 'off' | 'quarantined' | null
  foundHash: string
  pinnedHash: string | null
}

/** What the list says of a name: nothing, an entry that cannot be used, or one that can. */
export type Listing = { hash: string; usable: boolean } | null

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
