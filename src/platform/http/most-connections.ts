/** Fewer than that are not enough for the service and its database. */
const fewestFiles = 256

/**
 * How many connections may be open at once, by what the system allows to open. The rest stays for the database and for calls to the
 * outside: without it, whoever holds connections and says nothing would leave none for those who have something to say.
 */
export function mostConnections(files = readLimit()): number {
  if (files < fewestFiles) {
    throw new Error(
      `This process may have ${files} files open at once, and Bellhop needs ${fewestFiles} or more. Raise the limit: ` +
        '`ulimit -n 4096` before the start, or `LimitNOFILE=4096` in a unit of systemd.',
    )
  }
  return Math.min(files - 128, Math.floor(files * 0.75))
}

/** Node has raised its own limit to the highest that it may have. */
function readLimit(): number {
  // Else it would look up the names of all who are connected. Node's types do not know the switch.
  Object.assign(process.report, { excludeNetwork: true })
  // Node's types know a report only as an object; a limit is a number, or the word "unlimited".
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft: unknown } } }
  const soft = userLimits?.open_files?.soft
  return typeof soft === 'number' ? soft : Number.POSITIVE_INFINITY
}
