/** A judge made ready to be asked outside a grading: its room, its environment, what it is confined to. */
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import type { EngineChoice } from '../../schemas/plan.ts'
import { openRoom } from '../base/room.ts'
import { chooseSandbox, noWish, type SandboxWish } from '../base/sandbox/choose.ts'
import { credentialsOf } from '../engines/base_url.ts'
import { engineNamed } from '../engines/table.ts'
import { confine } from '../phases/2-run/confine.ts'
import { runEnvironment } from '../phases/2-run/environment.ts'
import type { Asking } from '../phases/3-judge/compare/asking.ts'
import type { FlowContext } from './context.ts'
import type { Pace } from './pace.ts'

export interface OpenerRequest {
  choice: EngineChoice
  passEnv: readonly string[]
  /** What it must not see on this machine. */
  hidden: readonly string[]
  sandbox: SandboxWish | null
  pace: Pace
}

/** Opens the judge for one piece of work. */
export type OpenJudge = () => Promise<AsyncDisposable & { asking: Asking; cwd: string }>

/** Chooses the sandbox once; each opening has a room of its own with an empty working folder. */
export async function judgeOpener(request: OpenerRequest, context: FlowContext): Promise<OpenJudge> {
  const { choice, passEnv, hidden, pace } = request
  const sandbox = await chooseSandbox(request.sandbox ?? noWish, context.env.PATH ?? '')
  const engine = engineNamed(choice.name)
  return async () => {
    const room = await openRoom()
    const cwd = path.join(room.path, 'empty')
    await mkdir(cwd)
    const env = runEnvironment({ user: context.env, home: room.path, mark: room.mark, passEnv, hidden })
    return {
      cwd,
      asking: {
        judge: { engine, model: choice.model, command: choice.command ?? null, baseUrl: choice.base_url },
        env: { ...env, TMPDIR: room.path },
        sandboxFor: (writable) => confine(sandbox, { writable: [...writable, room.path], hidden, settings: undefined }),
        credentials: credentialsOf(engine, choice, context.env),
        gate: pace.gate(engine, choice),
        signal: context.signal,
      },
      [Symbol.asyncDispose]: () => room[Symbol.asyncDispose](),
    }
  }
}
