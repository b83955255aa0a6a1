/** Finds the program of an agent CLI, checks its version, and says what to do if it is missing. */
import { errorMessage } from '../../base/errors/error.ts'
import { runProcess } from '../../base/process/spawn.ts'
import { getRedactor } from '../../base/secrets/redact.ts'
import { startTimeLimit } from '../../base/time/time_limit.ts'
import type { Probe, ProbeRequest } from '../engine.ts'
import { findProgram, findWrappedPrograms } from './find_program.ts'
import triedVersions from './tried_versions.json' with { type: 'json' }

export interface AgentCli {
  /** Name of the program on PATH. */
  name: string
  /** The variable in which the user may name another program. */
  variable: string
  /** Name of its npm package. */
  package: string
  /** The oldest version that can be used, such as 2.1.0. */
  leastVersion: string
  /** The oldest major version of Node that it starts with; absent: it needs none. */
  leastNode?: number
  /** The CLI's own command for an update. */
  update: string
}

export type ProbeFailure = Extract<Probe, { ok: false }>

/** The program that the user names, or the one on PATH; null: there is none. */
export function findCli(cli: AgentCli, { credentials, env }: Pick<ProbeRequest, 'credentials' | 'env'>) {
  return findProgram(credentials[cli.variable] || cli.name, env.PATH ?? '')
}

/** The same as a list: empty where there is none. */
export async function listCliPrograms(
  cli: AgentCli,
  task: Pick<ProbeRequest, 'credentials' | 'env'>,
): Promise<string[]> {
  const program = await findCli(cli, task)
  return program === null ? [] : [program, ...(await findWrappedPrograms(program))]
}

/** The message and the fix for a missing program. */
export function missingCli(cli: AgentCli, credentials: Readonly<Record<string, string>>): ProbeFailure {
  const asked = credentials[cli.variable]
  const message = asked ? `${cli.variable}: ${asked}: no such program` : `no ${cli.name} on PATH`
  const fix = `npm install -g ${cli.package}, or name the program in ${cli.variable}`
  return { ok: false, kind: 'missing_binary', message, fix }
}

export interface CliProbeOptions {
  /** For `--version`, without keys. */
  env: Readonly<Record<string, string>>
  /** Looks for anything else that can keep it from running, once the program is usable; null: there is nothing. */
  failure(): Promise<ProbeFailure | null>
  /** The model that the request and the keys choose: shown, and part of what makes two runs equal. */
  model?: string
}

function nodeNeeded({ leastNode, variable }: AgentCli) {
  if (leastNode === undefined) return undefined
  const fix = `install Node ${leastNode} or later, or name in ${variable} a script that starts it with a newer Node`
  return { least: leastNode, fix }
}

/** Finds the program and checks that it can be used. Rejects only when aborted. */
export async function probeCli(cli: AgentCli, request: ProbeRequest, look: CliProbeOptions): Promise<Probe> {
  request.signal.throwIfAborted()
  const program = await findCli(cli, request)
  if (program === null) return missingCli(cli, request.credentials)
  const { leastVersion, package: from } = cli
  const update = `${cli.update}, or npm install -g ${from}`
  const node = nodeNeeded(cli)
  const version = await readCliVersion({ program, env: look.env, leastVersion, update, node, signal: request.signal })
  if (typeof version !== 'string') return version
  const detail = [`${cli.name} ${version} at ${program}`, look.model].filter(Boolean).join(', ')
  const identity = look.model === undefined ? {} : { identity: { 'chosen model': look.model } }
  const warning = warnOfVersion(cli.name, version)
  return (await look.failure()) ?? { ok: true, version, detail, ...identity, ...(warning !== null && { warning }) }
}

/** By the lowest and the highest version that the contract suite has recorded. null: this one is between them. */
function warnOfVersion(name: string, version: string): string | null {
  const [, [lowest = '', highest = ''] = []] = Object.entries(triedVersions).find(([one]) => one === name) ?? []
  if (lowest === '' || (isEnough(version, lowest) && isEnough(highest, version))) return null
  const tried = lowest === highest ? lowest : `${lowest} to ${highest}`
  return `${name} ${version}: Whetstone is tested with ${tried}, so what it reads from this version may be wrong`
}

const versionTimeoutMs = 20_000

interface VersionRequest {
  program: string
  env: Readonly<Record<string, string>>
  /** The oldest version that can be used, such as 2.1.0. */
  leastVersion: string
  /** How to get a newer version, for the user. */
  update: string
  /** For a program that needs a newer Node; absent: it needs none. */
  node?: { least: number; fix: string } | undefined
  signal: AbortSignal
  /** Milliseconds, for tests; absent: 20 s. */
  patienceMs?: number
}

/** The version from `--version`, or why the program can't be used. Rejects only when aborted. */
export async function readCliVersion(request: VersionRequest): Promise<string | Extract<Probe, { ok: false }>> {
  const { program, env, leastVersion, update, signal, patienceMs = versionTimeoutMs } = request
  const unusable = (message: string, fix: string) => ({ ok: false, kind: 'missing_binary', message, fix }) as const
  using limit = startTimeLimit(patienceMs, [signal])
  const look = `check ${program} --version; ${leastVersion} or later is needed`
  try {
    const end = await runProcess({
      command: program,
      args: ['--version'],
      cwd: env.HOME ?? '/',
      env,
      signal: limit.signal,
      stdoutLimit: 10_000,
    })
    // pi writes it to stderr
    const version = /\d+\.\d+\.\d+/.exec(end.stdout.trim() || end.stderrTail)?.[0]
    if (version === undefined || end.exitCode !== 0) {
      const old = findOldNode(end.stderrTail, request.node)
      if (old !== null)
        return unusable(`${program} needs Node ${old.least} or later; it starts with Node ${old.found}`, old.fix)
      const said = getRedactor(env).text(`${end.stdout} ${end.stderrTail}`.trim()).slice(0, 300)
      return unusable(`${program} --version gave no version: ${said}`, look)
    }
    if (isEnough(version, leastVersion)) return version
    return unusable(`${program} is version ${version}; ${leastVersion} or later is needed`, update)
  } catch (error) {
    signal.throwIfAborted()
    if (limit.signal.aborted) return unusable(`${program} --version: ${errorMessage(error)}`, look)
    return unusable(`${program} does not start: ${errorMessage(error)}`, look)
  }
}

/** Node ends the report of its own failure with its version. null: it is new enough, or it did not fail. */
function findOldNode(stderr: string, node: VersionRequest['node']) {
  const [, found = ''] = /^Node\.js v(\d+)\./m.exec(stderr) ?? []
  return node !== undefined && found !== '' && Number(found) < node.least ? { ...node, found } : null
}

function isEnough(version: string, least: string): boolean {
  const found = version.split('.').map(Number)
  for (const [index, part] of least.split('.').map(Number).entries()) {
    const difference = (found[index] ?? 0) - part
    if (difference !== 0) return difference > 0
  }
  return true
}
