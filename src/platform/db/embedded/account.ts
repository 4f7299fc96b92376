import { execFile } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The user that PostgreSQL runs as. `switchTo` is empty unless we are root: PostgreSQL refuses to run as root. */
export type Account = {
  readonly uid: number
  readonly gid: number
  readonly switchTo: { uid?: number; gid?: number }
}

/** The owner of an existing cluster; else ourselves, or `nobody` if we are root. */
export async function chooseAccount(cluster: string): Promise<Account> {
  const owner = await stat(cluster).catch(() => undefined)
  const self = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }
  if (self.uid !== 0) {
    if (owner && owner.uid !== self.uid) {
      throw new Error(
        `The database in ${cluster} belongs to another user (id ${owner.uid}). ` +
          'Start Bellhop as the user who started it before (root, if it was root), or name another folder with DATA_DIR.',
      )
    }
    return { ...self, switchTo: {} }
  }
  const { uid, gid } = owner && owner.uid !== 0 ? owner : await lookUpNobody()
  return { uid, gid, switchTo: { uid, gid } }
}

async function lookUpNobody(): Promise<{ uid: number; gid: number }> {
  const [uid, gid] = await Promise.all([run('id', ['-u', 'nobody']), run('id', ['-g', 'nobody'])]).catch(
    (cause: unknown) => {
      throw new Error(
        'PostgreSQL does not run as root, and this machine has no user "nobody" to run it as. ' +
          'Start Bellhop as an ordinary user, or set DATABASE_URL.',
        { cause },
      )
    },
  )
  return { uid: Number(uid.stdout), gid: Number(gid.stdout) }
}

/** Found out by trying, as the account itself: modes, groups, access lists and mounts all matter. */
export async function canEnter(account: Account, folder: string): Promise<boolean> {
  if (account.switchTo.uid === undefined) return true
  return run('/bin/sh', ['-c', 'cd -- "$0"', folder], { ...account.switchTo, cwd: '/' }).then(
    () => true,
    () => false,
  )
}
