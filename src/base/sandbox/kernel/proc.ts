/** Which entries of /proc a sandbox shows in addition to its own processes. All others are covered, including those of later kernels. */
import { readdirSync, statSync } from 'node:fs'

/** Entries that ordinary programs read, and that describe no process, key or memory of the host. `sys` is read-only. */
const shownEntries = new Set([
  ...['self', 'thread-self', 'mounts', 'net', 'sys', 'sysvipc', 'tty'],
  ...['cpuinfo', 'meminfo', 'stat', 'uptime', 'loadavg', 'version', 'version_signature', 'cmdline', 'config.gz'],
  ...['cgroups', 'crypto', 'devices', 'diskstats', 'filesystems', 'modules', 'partitions', 'swaps', 'vmstat'],
])

/** A file or folder to cover, absolute. */
export interface CoveredEntry {
  path: string
  isFolder: boolean
}

let cachedProcEntries: CoveredEntry[] | null = null

/** Entries of this machine's /proc that a sandbox must not show. Read once per process. */
export function listCoveredProcEntries(): CoveredEntry[] {
  cachedProcEntries ??= readdirSync('/proc')
    .filter((name) => !/^\d+$/.test(name) && !shownEntries.has(name))
    .map((name) => ({ path: `/proc/${name}`, isFolder: statSync(`/proc/${name}`).isDirectory() }))
  return cachedProcEntries
}
