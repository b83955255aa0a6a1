/** Asks an agent CLI for its version, and whether it is recent enough. */
import { messageOf } from '../base/error.ts'
import { redactorFor } from '../base/redact.ts'
import { runProcess } from '../base/spawn.ts'
import { timeLimit } from '../base/time_limit.ts'
import type { Probe } from './engine.ts'

const usualMs = 20_000

export interface VersionRequest {
  program: string
  env: Readonly<Record<string, string>>
  /** Such as 2.1.0. */
  leastVersion: string
  /** How to get a newer one. */
  update: string
  signal: AbortSignal
  /** For tests; 20 s. */
  patienceMs?: number
}

/** The version, by `--version`, or why it can't be used. Rejects only when aborted. */
export async function versionOf(request: VersionRequest): Promise<string | Extract<Probe, { ok: false }>> {
  const { program, env, leastVersion, update, signal, patienceMs = usualMs } = request
  const unusable = (message: string, fix: string) => ({ ok: false, kind: 'missing_binary', message, fix }) as const
  using limit = timeLimit(patienceMs, [signal])
  const look = `run ${program} --version to see; ${leastVersion} or later is needed`
  try {
    const end = await runProcess({
      command: program,
      args: ['--version'],
      cwd: env.HOME ?? '/',
      env,
      signal: limit.signal,
      stdoutLimit: 10_000,
    })
    const version = /\d+\.\d+\.\d+/.exec(end.stdout)?.[0]
    if (version === undefined || end.exitCode !== 0) {
      const said = redactorFor(env).text(`${end.stdout} ${end.stderrTail}`.trim()).slice(0, 300)
      return unusable(`${program} --version gave no version: ${said}`, look)
    }
    if (isEnough(version, leastVersion)) return version
    return unusable(`${program} is version ${version}; ${leastVersion} or later is needed`, update)
  } catch (error) {
    signal.throwIfAborted()
    if (limit.signal.aborted) return unusable(`${program} --version: ${messageOf(error)}`, look)
    return unusable(`${program} does not start: ${messageOf(error)}`, look)
  }
}

function isEnough(version: string, least: string): boolean {
  const found = version.split('.').map(Number)
  for (const [index, part] of least.split('.').map(Number).entries()) {
    const difference = (found[index] ?? 0) - part
    if (difference !== 0) return difference > 0
  }
  return true
}
