/** Recognises a command that failed because it had no network, by the words and exit codes of common programs. Pure. */

export interface FailedCommand {
  /** The end of its stderr and stdout. */
  said: string
  exitCode: number | null
  /** As a shell gets it. */
  command: string
}

const words = [
  // curl, wget, git, apt
  /could not resolve|couldn't resolve|unable to resolve host|failed to connect to \S+ port|temporary failure resolving|unable to connect to/,
  // the C library, Python, pip
  /(temporary|permanent) failure in name resolution|name or service not known|failure (in name resolution|resolving)|nodename nor servname/,
  /network is unreachable|no route to host|network is down|newconnectionerror|nameresolutionerror|no address associated with hostname/,
  // Node, npm, yarn, pnpm
  /\b(eai_again|enotfound|enetunreach|enetdown|ehostunreach)\b|getaddrinfo/,
  // Go, Rust, Java, Ruby
  /no such host|lookup \S+ on \S+: |dns error: |failed to lookup address|unknownhostexception|getaddrinfo: /,
]

/** curl's exit codes for a host that does not resolve, and for one that refuses a connection; with -s it says nothing. */
const silentCurl: ReadonlySet<number | null> = new Set([5, 6, 7])

/** wget's exit code for a network failure; with -q it says nothing. */
const silentWget = 4

export function isNetworkFailure({ said, exitCode, command }: FailedCommand): boolean {
  const lower = said.toLowerCase()
  if (words.some((pattern) => pattern.test(lower))) return true
  if (lower !== '') return false
  return (silentCurl.has(exitCode) && /\bcurl\b/.test(command)) || (exitCode === silentWget && /\bwget\b/.test(command))
}
