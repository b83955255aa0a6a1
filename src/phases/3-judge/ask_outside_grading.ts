/** Builds a question to a judge outside a grading, in the form of `askEngine`. */
import { runMark } from '../../base/process/process_marks.ts'
import type { Sandbox } from '../../base/sandbox/policy.ts'
import type { RateLimiter } from '../../engines/limits/rate_limiter.ts'
import type { JudgeChoice } from './judge_request.ts'

export interface JudgeContext {
  judge: JudgeChoice
  env: Readonly<Record<string, string>>
  /** Returns the sandbox with these writable folders; null: none. */
  sandboxFor: (writable: readonly string[]) => Sandbox | null
  credentials: Readonly<Record<string, string>>
  gate: RateLimiter | undefined
  signal: AbortSignal
}

export interface JudgeTaskRequest {
  prompt: string
  cwd: string
  /** Process mark of the temp directory with `cwd`; null: the mark in `env`. */
  mark: string | null
  tools: 'read_only' | 'none'
}

const maxTurns = 60

export function buildJudgeTask(asking: JudgeContext, { prompt, cwd, mark, tools }: JudgeTaskRequest) {
  const { judge, env, sandboxFor, credentials, gate, signal } = asking
  return {
    engine: judge.engine,
    task: {
      prompt,
      model: judge.model,
      effort: judge.effort,
      command: judge.command,
      cwd,
      env: mark === null ? env : { ...env, [runMark]: mark },
      credentials,
      skills: [],
      tools,
      maxTurns,
      sandbox: sandboxFor([cwd]),
    },
    context: { signal, emit: () => {}, stderrFile: null, ...(gate && { gate }) },
  }
}
