/** Which sandbox this machine gives, asked once per process, and what a user's wish makes of it. */
import { platform } from 'node:os'
import { messageOf, UserError } from '../error.ts'
import { runProcess } from '../spawn.ts'
import { timeLimit } from '../time_limit.ts'
import { enterSandbox } from './enter.ts'
import type { Sandbox, SandboxPolicy } from './policy.ts'
import { whereIs } from './programs.ts'

export type SandboxMode = 'auto' | 'required' | 'off'

/** What a user asks of the sandbox. */
export interface SandboxWish {
  mode: SandboxMode
  /** Wins over the suite; null: as the suite says, else none. */
  network: 'none' | 'open' | null
  /** Further files and folders that agents may read. */
  readable: readonly string[]
}

export const noWish: SandboxWish = { mode: 'auto', network: null, readable: [] }

/** What is really used. `reason`: one line for a person. */
export interface SandboxChoice extends Omit<SandboxWish, 'mode'> {
  mechanism: Sandbox['mechanism'] | 'none'
  /** null where the mechanism is none. */
  program: string | null
  reason: string
}

/** Whether a sandbox works here; `fix` says how to get one. */
export type SandboxProbe =
  | { ok: true; mechanism: Sandbox['mechanism']; program: string; detail: string }
  | { ok: false; message: string; fix: string }

/** Throws UserError where one is required and none works. */
export async function chooseSandbox(wish: SandboxWish, searchPath: string): Promise<SandboxChoice> {
  const { network, readable } = wish
  const none = (reason: string) => ({ mechanism: 'none' as const, program: null, reason, network, readable })
  if (wish.mode === 'off') return none('off: as asked')
  const found = await probeSandbox(searchPath)
  if (found.ok) return { ...found, reason: found.detail, network, readable }
  if (wish.mode === 'required') throw new UserError(`--sandbox required: ${found.message}`, found.fix)
  return none(found.message)
}

const probes = new Map<string, Promise<SandboxProbe>>()

/** Starts a program in a sandbox to see, with bubblewrap twice where it is silent for `patienceMs`; the answer is kept for this process. */
export function probeSandbox(searchPath: string, patienceMs = 10_000): Promise<SandboxProbe> {
  const probe = probes.get(searchPath) ?? probeNow(searchPath, patienceMs)
  probes.set(searchPath, probe)
  return probe
}

async function probeNow(searchPath: string, patienceMs: number): Promise<SandboxProbe> {
  if (platform() === 'darwin') return await trySeatbelt(searchPath, patienceMs)
  if (platform() !== 'linux') {
    return { ok: false, message: `no sandbox on ${platform()}`, fix: 'use Linux with bubblewrap' }
  }
  const program = await whereIs('bwrap', searchPath)
  const fix = 'install bubblewrap (apt-get install bubblewrap, dnf install bubblewrap)'
  if (program === null) return { ok: false, message: 'bwrap is not on PATH', fix }
  return await tryBubblewrap(program, searchPath, { patienceMs, tries: 2 })
}

const blank: SandboxPolicy = {
  ...{ readable: [], writable: [], readOnly: [], hidden: [], scratch: [], network: 'none', tmp: null },
  limits: { tmpBytes: 2 ** 20, fileBytes: 2 ** 20, processes: 64 },
}

/** Not yet proven on a Mac. */
async function trySeatbelt(searchPath: string, patienceMs: number): Promise<SandboxProbe> {
  const sandbox: Sandbox = { mechanism: 'seatbelt', program: '/usr/bin/sandbox-exec', policy: blank }
  const fix = 'npm install -g @anthropic-ai/sandbox-runtime@0.0.78 (beside whetstone)'
  try {
    const inner = { command: 'true', args: [], cwd: '/', env: { PATH: searchPath } }
    await using entered = await enterSandbox(inner, sandbox)
    using limit = timeLimit(patienceMs)
    const end = await runProcess({ ...entered.invocation, signal: limit.signal })
    const detail = 'Seatbelt (not yet proven)'
    if (end.exitCode === 0) return { ok: true, mechanism: 'seatbelt', program: sandbox.program, detail }
    return { ok: false, message: `Seatbelt does not work here: ${end.stderrTail.trim()}`, fix }
  } catch (error) {
    return { ok: false, message: `Seatbelt does not work here: ${messageOf(error)}`, fix }
  }
}

async function tryBubblewrap(
  program: string,
  searchPath: string,
  { patienceMs, tries }: { patienceMs: number; tries: number },
): Promise<SandboxProbe> {
  const sandbox: Sandbox = { mechanism: 'bubblewrap', program, policy: blank }
  using limit = timeLimit(patienceMs)
  const { signal } = limit
  const inner = { command: 'sh', args: ['-c', 'test "$$" -lt 10'], cwd: '/', env: { PATH: searchPath } }
  await using entered = await enterSandbox(inner, sandbox)
  const end = await runProcess({ ...entered.invocation, signal }).catch((error: Error) => error)
  // the time may have gone to work of our own, or while we were stopped: no agent is to run bare for that
  if (end instanceof Error && signal.aborted && tries > 1)
    return await tryBubblewrap(program, searchPath, { patienceMs, tries: tries - 1 })
  if (!(end instanceof Error) && end.exitCode === 0) {
    return { ok: true, mechanism: 'bubblewrap', program, detail: `bubblewrap (${program})` }
  }
  const said = end instanceof Error ? end.message : end.stderrTail.trim().split('\n').at(-1) || `exit ${end.exitCode}`
  const fix = /uid map|user namespace|Permission denied|not permitted/i.test(said)
    ? 'allow unprivileged user namespaces: sysctl kernel.unprivileged_userns_clone=1, or (Ubuntu 24.04) ' +
      'sysctl kernel.apparmor_restrict_unprivileged_userns=0; in a container run it with --security-opt seccomp=unconfined'
    : `run ${program} --ro-bind / / --unshare-pid --unshare-net true to see`
  return { ok: false, message: `${program} does not work here: ${said}`, fix }
}
