import { lookup } from 'node:dns/promises'

/** All addresses of a name, in the order in which to try them. Throws if there are none. */
export type ResolveHost = (host: string) => Promise<string[]>

/** As the machine itself resolves it: its hosts file, its search order, its DNS servers. */
export const resolveBySystem: ResolveHost = async (host) => {
  const answers = await lookup(host, { all: true, order: 'verbatim' })
  return answers.map((answer) => answer.address)
}
