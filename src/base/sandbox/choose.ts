/** Finds which sandbox this machine supports, once per process, and applies the user's options. */
import { platform } from 'node:os'
import { errorMessage, UserError } from '../errors/error.ts'
import { runProcess } from '../process/spawn.ts'
import type { VariableTrust } from '../secrets/suite_variables.ts'
import { startTimeLimit } from '../time/time_limit.ts'
import { enterSandbox } from './enter.ts'
import { seccompFilter } from './kernel/seccomp.ts'
import type { Sandbox, SandboxPolicy } from './policy.ts'
import { findOnPath } from './programs.ts'

export type SandboxMode = 'auto' | 'required' | 'off'

/** The user's options for the sandbox. */
export interface SandboxWish extends VariableTrust {
  mode: SandboxMode
  /** null: none, and a suite that asks for an open network is refused. setup: open for `setup` alone. */
  network: 'none' | 'setup' | 'open' | null
  /** Further files and folders that agents may read. */
  readable: readonly string[]
  /** Whether commands of a suite may run without a sandbox; absent: ask the user. */
  trusted?: boolean
}

export const noSandboxWish: SandboxWish = { mode: 'auto', network: null, readable: [] }

type MachineMechanism = Exclude<Sandbox['mechanism'], 'container'>

/** The sandbox in use. `reason`: one line for a person. */
export interface SandboxChoice extends Omit<SandboxWish, 'mode' | 'trusted'> {
  mechanism: MachineMechanism | 'none'
  /** null: the mechanism is none. */
  program: string | null
  reason: string
}

/** Whether a sandbox works here; `fix` says how to get one. */
export type SandboxProbe =
  | { ok: true; mechanism: MachineMechanism; program: string; detail: string }
  | { ok: false; message: string; fix: string }

/** Throws UserError when a sandbox is required and none works. */
export async function chooseSandbox(wish: SandboxWish, searchPath: string): Promise<SandboxChoice> {
  const { mode, trusted: _, ...kept } = wish
  const none = (reason: string) => ({ ...kept, mechanism: 'none' as const, program: null, reason })
  if (mode === 'off') return none('off: as asked')
  const found = await probeSandbox(searchPath)
  if (found.ok) return { ...found, ...kept, reason: found.detail }
  if (mode === 'required') throw new UserError(`--sandbox required: ${found.message}`, found.fix)
  return none(found.message)
}

const probes = new Map<string, Promise<SandboxProbe>>()

/** Starts a program in a sandbox to find out; retries bubblewrap once after `patienceMs` without an answer. Kept for this process. */
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
  if (seccompFilter(process.arch) === null) {
    return { ok: false, message: `no sandbox on ${process.arch}`, fix: 'use an x64 or arm64 machine' }
  }
  const program = await findOnPath('bwrap', searchPath)
  const fix = 'install bubblewrap (apt-get install bubblewrap, dnf install bubblewrap)'
  if (program === null) return { ok: false, message: 'bwrap is not on PATH', fix }
  return await tryBubblewrap(program, searchPath, { patienceMs, tries: 2 })
}

const blank: SandboxPolicy = {
  ...{ readable: [], writable: [], readOnly: [], hidden: [], scratch: [], network: 'none', tmp: null },
  limits: { tmpBytes: 2 ** 20, fileBytes: 2 ** 20, processes: 64 },
}

/** Not verified on a Mac. */
async function trySeatbelt(searchPath: string, patienceMs: number): Promise<SandboxProbe> {
  const sandbox: Sandbox = { mechanism: 'seatbelt', program: '/usr/bin/sandbox-exec', policy: blank }
  const fix = 'npm install -g @anthropic-ai/sandbox-runtime@0.0.78 (next to whetstone)'
  try {
    const inner = { command: 'true', args: [], cwd: '/', env: { PATH: searchPath } }
    await using entered = await enterSandbox(inner, sandbox)
    using limit = startTimeLimit(patienceMs)
    const end = await runProcess({ ...entered.invocation, signal: limit.signal })
    const detail = 'Seatbelt (not yet proven)'
    if (end.exitCode === 0) return { ok: true, mechanism: 'seatbelt', program: sandbox.program, detail }
    return { ok: false, message: `Seatbelt does not work here: ${end.stderrTail.trim()}`, fix }
  } catch (error) {
    return { ok: false, message: `Seatbelt does not work here: ${errorMessage(error)}`, fix }
  }
}

async function tryBubblewrap(
  program: string,
  searchPath: string,
  { patienceMs, tries }: { patienceMs: number; tries: number },
): Promise<SandboxProbe> {
  const sandbox: Sandbox = { mechanism: 'bubblewrap', program, policy: blank }
  using limit = startTimeLimit(patienceMs)
  const { signal } = limit
  const inner = { command: 'sh', args: ['-c', 'test "$$" -lt 10'], cwd: '/', env: { PATH: searchPath } }
  await using entered = await enterSandbox(inner, sandbox)
  const end = await runProcess({ ...entered.invocation, signal }).catch((error: Error) => error)
  // our own work or a stopped process may have used up the time: that must not leave agents without a sandbox
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
