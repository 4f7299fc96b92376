/** For the person at the terminal: what happened, why, what to do. Shown without a stack. */
export class SetupError extends Error {}

/** What a failed write or command means, if its output tells. */
export function explainFailure(doing, words) {
  const text = String(words)
  if (/ENOSPC|no space left/i.test(text)) {
    return new SetupError(`${doing} failed: the disk is full. Make room, then run the same command again.`)
  }
  if (
    /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|network|socket hang up/i.test(text)
  ) {
    return new SetupError(
      `${doing} failed: the package registry cannot be reached. Check the network (or the proxy and the registry in your ` +
        `npm settings), then run the same command again.\n\n${lastLines(text)}`,
    )
  }
  if (/EACCES|EPERM|EROFS|permission denied/i.test(text)) {
    return new SetupError(
      `${doing} failed: this user may not write there. If an earlier run was made with sudo, give the files back with\n` +
        `  sudo chown -R "$(id -u):$(id -g)" .\nthen run the same command again.\n\n${lastLines(text)}`,
    )
  }
  if (/EUSAGE|not in sync|are in sync/.test(text)) {
    const named = text.split('\n').filter((line) => /Missing:|Invalid:/.test(line))
    return new SetupError(
      `${doing} failed: package.json and package-lock.json do not fit together. Restore both with\n` +
        '  git checkout package.json package-lock.json\nor, if you changed the dependencies, run\n' +
        `  npm install && node scripts/complete-lockfile.ts\n\n${named.slice(0, 10).join('\n')}`,
    )
  }
  return new SetupError(`${doing} failed.\n\n${lastLines(text)}`)
}

function lastLines(text) {
  return text.trim().split('\n').slice(-20).join('\n')
}
