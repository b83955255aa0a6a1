/** Turns a planned judge into the judge of a grading, or prepares one for use outside a grading: temp directory, environment and sandbox. */
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import type { Grading } from '../../../schemas/grading.ts'
import type { EngineChoice } from '../../../schemas/plan.ts'
import { openTempDir } from '../../base/fs/temp_dir.ts'
import { chooseSandbox, noSandboxWish, type SandboxWish } from '../../base/sandbox/choose.ts'
import type { Engine } from '../../engines/engine.ts'
import { selectCredentials } from '../../engines/models/base_url.ts'
import { withUserPrices } from '../../engines/models/user_prices.ts'
import { findEngine } from '../../engines/table.ts'
import { buildRunEnvironment } from '../../phases/2-run/workspace/run_environment.ts'
import { confine } from '../../phases/2-run/workspace/sandbox_policy.ts'
import type { JudgeChoice, JudgeContext } from '../../phases/3-judge/judge_request.ts'
import type { FlowContext } from '../flow_context.ts'
import type { AccountLimiters } from '../limits/rate_limiters.ts'

export interface JudgeOpenerRequest {
  choice: EngineChoice
  passEnv: readonly string[]
  /** Paths on this machine that it must not see. */
  hidden: readonly string[]
  sandbox: SandboxWish | null
  pace: AccountLimiters
}

export type OpenJudge = () => Promise<AsyncDisposable & { asking: JudgeContext; cwd: string }>

/** Chooses the sandbox once; each opening gets a new temp directory with an empty working folder. */
export async function createJudgeOpener(request: JudgeOpenerRequest, context: FlowContext): Promise<OpenJudge> {
  const { choice, passEnv, hidden, pace } = request
  const sandbox = await chooseSandbox(request.sandbox ?? noSandboxWish, context.env.PATH ?? '')
  const engine = withUserPrices(findEngine(choice.name), context.prices)
  return async () => {
    const tempDir = await openTempDir()
    const work = pace.begin(true) // it may wait for another caller's request
    const cwd = path.join(tempDir.path, 'empty')
    await mkdir(cwd)
    const env = buildRunEnvironment({ user: context.env, home: tempDir.path, mark: tempDir.mark, passEnv, hidden })
    return {
      cwd,
      asking: {
        judge: toJudgeChoice(engine, choice),
        env: { ...env, TMPDIR: tempDir.path },
        sandboxFor: (writable) =>
          confine(sandbox, { writable: [...writable, tempDir.path], hidden, settings: undefined }),
        credentials: selectCredentials(engine, choice, context.env),
        gate: work.gate(engine, choice),
        signal: context.signal,
      },
      [Symbol.asyncDispose]() {
        work[Symbol.dispose]()
        return tempDir[Symbol.asyncDispose]()
      },
    }
  }
}

/** `engine`: the one that the choice names. */
export function toJudgeChoice(engine: Engine, { model, command, base_url, effort }: EngineChoice): JudgeChoice {
  return { engine, model, command: command ?? null, baseUrl: base_url, effort }
}

/** True if the judge decided something. */
export function hasJudgeVerdicts(grading: Grading): boolean {
  return grading.expectations.some(({ decided_by }) => decided_by === 'judge')
}

/** True if the judge failed this time but decided the same statements before. The caller must know that the criteria are the same. */
export function isWorthKeeping(before: Grading | null, made: Grading): before is Grading {
  if (before === null || (made.judge_errors ?? []).length === 0) return false
  return !hasJudgeVerdicts(made) && hasJudgeVerdicts(before) && listStatements(before) === listStatements(made)
}

function listStatements({ expectations, judge_errors: errors = [] }: Grading): string {
  return JSON.stringify([...expectations, ...errors].map(({ text }) => text).sort())
}
