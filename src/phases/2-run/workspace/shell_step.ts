/** Runs one step around the agent, such as git or setup, in the working folder and under a time limit, and recognises a failure for want of a network. */
import { errorMessage } from '../../../base/errors/error.ts'
import { isShortage } from '../../../base/process/resource_shortage.ts'
import { type ProcessSpec, runProcess } from '../../../base/process/spawn.ts'
import { startTimeLimit } from '../../../base/time/time_limit.ts'
import { SetupError } from './symlink_traps.ts'

export type StepPlace = Pick<ProcessSpec, 'cwd' | 'env' | 'sandbox' | 'signal'>

const stepSeconds = 300

/** Returns its stdout. Throws SetupError if it fails or takes too long, or the abort reason. */
export async function runStep(argv: readonly [string, ...string[]], place: StepPlace): Promise<string> {
  const [command, ...args] = argv
  using limit = startTimeLimit(stepSeconds * 1000, [place.signal])
  const end = await runProcess({ command, args, ...place, signal: limit.signal }).catch((error: unknown) => {
    place.signal.throwIfAborted()
    if (isShortage(error)) throw error
    throw new SetupError(
      limit.signal.aborted ? `${argv.join(' ')}: did not end within ${stepSeconds} s` : errorMessage(error),
    )
  })
  if (end.exitCode === 0) return end.stdout
  const said = `${end.stderrTail}\n${end.stdout.slice(-1000)}`.trim()
  const isClosed = place.sandbox ? place.sandbox.policy.network !== 'open' : false
  const failure = { said, exitCode: end.exitCode, command: args.at(-1) ?? '' }
  const hint = isClosed && isNetworkFailure(failure) ? ` (${closedNetwork})` : ''
  throw new SetupError(`${argv.join(' ')}: exit ${end.exitCode ?? end.signal}${hint}: ${said}`)
}

const closedNetwork =
  'the sandbox has no network; --network setup opens it for setup alone, --network open for the agent too'

/** Runs the shell commands that clean up after a run. Returns why they failed, as a warning; null: they did not. */
export async function runTeardown(script: string, place: StepPlace): Promise<string | null> {
  try {
    await runStep(['sh', '-c', script], place)
    return null
  } catch (error) {
    place.signal.throwIfAborted()
    if (!(error instanceof SetupError)) throw error
    return `teardown failed: ${error.message}`
  }
}

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
