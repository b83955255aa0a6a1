/** An agent CLI as a program: where it is, its version, and what to say where it is missing. */
import { versionOf } from './cli_version.ts'
import type { Probe, ProbeRequest } from './engine.ts'
import { findProgram } from './find_program.ts'

export interface AgentCli {
  /** Of the program, as it lies on PATH. */
  name: string
  /** The variable in which the user may name another program. */
  variable: string
  /** On npm. */
  package: string
  /** Such as 2.1.0. */
  leastVersion: string
  /** The CLI's own way to a newer version. */
  update: string
}

export type ProbeFailure = Extract<Probe, { ok: false }>

/** The program that the user names, or the one on PATH; null: there is none. */
export function findCli(cli: AgentCli, { credentials, env }: Pick<ProbeRequest, 'credentials' | 'env'>) {
  return findProgram(credentials[cli.variable] || cli.name, env.PATH ?? '')
}

/** The message and the mending of a program that is not there. */
export function missingCli(cli: AgentCli, credentials: Readonly<Record<string, string>>): ProbeFailure {
  const asked = credentials[cli.variable]
  const message = asked ? `${cli.variable}: ${asked}: no such program` : `no ${cli.name} on PATH`
  const fix = `npm install -g ${cli.package}, or name the program in ${cli.variable}`
  return { ok: false, kind: 'missing_binary', message, fix }
}

export interface CliLook {
  /** For `--version`: it gets no key. */
  env: Readonly<Record<string, string>>
  /** What else can keep it from working, looked at once the program is sound; null: nothing does. */
  failure(): Promise<ProbeFailure | null>
  /** Behind the version and the place. */
  detail?: string
}

/** Rejects only when aborted. */
export async function probeCli(cli: AgentCli, request: ProbeRequest, look: CliLook): Promise<Probe> {
  request.signal.throwIfAborted()
  const program = await findCli(cli, request)
  if (program === null) return missingCli(cli, request.credentials)
  const { leastVersion, package: from } = cli
  const update = `${cli.update}, or npm install -g ${from}`
  const version = await versionOf({ program, env: look.env, leastVersion, update, signal: request.signal })
  if (typeof version !== 'string') return version
  const detail = [`${cli.name} ${version} at ${program}`, look.detail].filter(Boolean).join(', ')
  return (await look.failure()) ?? { ok: true, version, detail }
}
