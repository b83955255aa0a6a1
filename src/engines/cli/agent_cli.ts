/** Finds the program of an agent CLI, checks its version, and says what to do if it is missing. */
import type { Probe, ProbeRequest } from '../engine.ts'
import { readCliVersion } from './cli_version.ts'
import { findProgram } from './find_program.ts'
import { findWrappedPrograms } from './wrapped_programs.ts'

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
  return (await look.failure()) ?? { ok: true, version, detail, ...identity }
}
