/** The fewest open files that are enough for the service and its database. */
const minFiles = 256

/**
 * How many connections may be open at once, by the system's limit on open files. The rest is reserved for the database and for
 * outgoing calls: otherwise idle connections could use up all of it.
 */
export function maxOpenConnections(): number {
  const files = readLimit()
  if (files < minFiles) {
    throw new Error(
      `This process may have ${files} files open at once, and Bellhop needs ${minFiles} or more. Raise the limit: ` +
        '`ulimit -n 4096` before the start, or `LimitNOFILE=4096` in a unit of systemd.',
    )
  }
  return Math.min(files - 128, Math.floor(files * 0.75))
}

let limit: number | undefined

/** Node has already raised its soft limit to the highest allowed; asking takes some milliseconds. */
function readLimit(): number {
  limit ??= askForLimit()
  return limit
}

function askForLimit(): number {
  // Otherwise it would resolve the names of all connected peers. Node's types lack this option.
  Object.assign(process.report, { excludeNetwork: true })
  // Node types a report only as an object; a limit is a number or "unlimited".
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft: unknown } } }
  const soft = userLimits?.open_files?.soft
  return typeof soft === 'number' ? soft : Number.POSITIVE_INFINITY
}
