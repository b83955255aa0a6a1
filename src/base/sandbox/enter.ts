/** From a process to the same process inside a sandbox. */
import { stat } from 'node:fs/promises'
import { isBelow } from './below.ts'
import { bubblewrapArguments } from './bubblewrap.ts'
import type { Sandbox } from './policy.ts'
import { pathFolders } from './programs.ts'
import { systemParts } from './system.ts'

export interface Invocation {
  command: string
  args: readonly string[]
  cwd: string
  env: Readonly<Record<string, string>>
}

export interface Entered extends AsyncDisposable {
  /** What to start in place of the given. */
  invocation: Invocation
}

/** Prepares the sandbox; its end closes what belongs to it outside. Rejects when something of it can't be made. */
export async function enterSandbox(outside: Invocation, sandbox: Sandbox): Promise<Entered> {
  const { policy } = sandbox
  const wanted = [...policy.readable, ...(await pathFolders(outside.env.PATH ?? ''))]
  const readable = (await Promise.all(wanted.map(kindOf))).filter((one) => one !== null).map(({ path }) => path)
  const shown = policy.hidden.filter((path) => readable.some((root) => isBelow(path, root)))
  const hidden = (await Promise.all(shown.map(kindOf))).filter((one) => one !== null)
  const args = bubblewrapArguments({
    policy,
    system: await systemParts(),
    readable: readable.filter((path) => !policy.hidden.some((root) => isBelow(path, root))),
    hidden,
    placed: [],
    cwd: outside.cwd,
    command: [outside.command, ...outside.args],
  })
  return {
    invocation: { command: sandbox.program, args, cwd: '/', env: outside.env },
    async [Symbol.asyncDispose]() {},
  }
}

async function kindOf(path: string): Promise<{ path: string; isFolder: boolean } | null> {
  const info = await stat(path).catch(() => null)
  return info === null ? null : { path, isFolder: info.isDirectory() }
}
