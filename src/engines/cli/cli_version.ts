/** Reads the version of an agent CLI, and checks that it is recent enough. */
import { errorMessage } from '../../base/errors/error.ts'
import { runProcess } from '../../base/process/spawn.ts'
import { getRedactor } from '../../base/secrets/redact.ts'
import { startTimeLimit } from '../../base/time/time_limit.ts'
import type { Probe } from '../engine.ts'

const versionTimeoutMs = 20_000

export interface VersionRequest {
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
