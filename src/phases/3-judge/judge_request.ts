/** The request to a judge about one run, and its result; and a question to a judge outside a grading. */
import type { CachedFrom } from '../../../schemas/cached_from.ts'
import type { Claim, InjectionAttempt } from '../../../schemas/grading.ts'
import type { RunRecord } from '../../../schemas/run.ts'
import type { SuiteCase } from '../../../schemas/suite.ts'
import { runMark } from '../../base/process/process_marks.ts'
import type { Sandbox } from '../../base/sandbox/policy.ts'
import type { DataFence } from '../../base/text/fence.ts'
import type { CallUsage } from '../../engines/ask/cost_meter.ts'
import type { Engine } from '../../engines/engine.ts'
import type { RateLimiter } from '../../engines/limits/rate_limiter.ts'
import type { DocumentReads } from './documents/document_reads.ts'
import type { JudgeAnswer, JudgeVerdict } from './judge/judge_answer.ts'

/** The judge. `command` only for the command engine. */
export interface JudgeChoice {
  engine: Engine
  model: string | null
  command: string | null
  /** Address of its server, from --base-url. */
  baseUrl?: string | undefined
  /** How hard it thinks, from --judge-effort. */
  effort?: string | undefined
}

export interface JudgeRequest {
  case: SuiteCase
  record: RunRecord
  /** Absolute path of the run's folder, with transcript.md and outputs/. */
  runFolder: string
  /** Documents that the checks of this run have read; absent: none. */
  documents?: DocumentReads | undefined
  judge: JudgeChoice
  /** The complete environment of the judge, and of command checks without their own; without credentials. */
  env: Readonly<Record<string, string>>
  /** Sandbox of a command check or the judge with these writable folders; absent or null: none. */
  sandboxFor?: (writable: readonly string[]) => Sandbox | null
  /** By the names in its engine's `credentials`. */
  credentials: Readonly<Record<string, string>>
  /** Limits calls to the judge's account; absent: no limit. */
  gate?: RateLimiter | undefined
  signal: AbortSignal
  /** A pass whose quotes are not found in two rounds becomes a judge error. */
  requireEvidence?: boolean | undefined
  /** Votes of the judge per expectation; absent: one. */
  samples?: number | undefined
  /** Separates data from the judge's prompt; absent: a fence that data cannot close. Others only demonstrate the need for it. */
  fenceOf?: ((texts: readonly string[]) => DataFence) | undefined
  /** Absent or null: no cached answers. */
  memory?: JudgeMemory | null
  /** Judges to ask in this order if the judge cannot be asked, for formats that name some; absent: none. */
  fallbacks?: readonly JudgeAccess[] | undefined
}

/** One verdict per expectation, in order; `answer` null: the judge gave none. */
export interface JudgeResult {
  verdicts: JudgeVerdict[]
  answer: JudgeAnswer | null
  spent: CallUsage
  /** A fallback judge that decided; absent: the one that was to judge. */
  decidedBy?: { name: string; model: string | null }
  /** Number of passes that the judge was asked about again because of a missing quote. */
  askedAgain?: number
  /** For several votes: their number and agreement (0 to 1). */
  samples?: number
  agreement?: number
  /** The agent's claims with the judge's findings and the result of verifying its quotes; absent: no answer. */
  claims?: Claim[]
  /** Text that seems to address the judge. */
  injectionAttempts?: InjectionAttempt[]
  /** Absent: the answer is new. */
  cachedFrom?: CachedFrom
}

export interface OwnJudge {
  /** Part of a grading's key: change it when the prompt changes, so that runs are graded again. */
  promptVersion: string
  /** Loads it; it rejects only when aborted. */
  load(): Promise<(request: JudgeRequest) => Promise<JudgeResult>>
}

export const ownJudges: Partial<Record<NonNullable<SuiteCase['judging']>['kind'], OwnJudge>> = {}

/** Adds those of features; again changes nothing. */
export function addOwnJudges(more: Readonly<typeof ownJudges>): void {
  Object.assign(ownJudges, more)
}

/** Earlier answers to the same question about the same evidence. */
export interface JudgeMemory {
  recall(prompt: string): Promise<{ answer: unknown; spent: CallUsage; from: CachedFrom } | null>
  keep(prompt: string, judged: { answer: JudgeAnswer; spent: CallUsage }): Promise<void>
}

/** A judge with its credentials and rate limiter. */
export interface JudgeAccess {
  judge: JudgeChoice
  credentials: Readonly<Record<string, string>>
  gate?: RateLimiter | undefined
}

export interface JudgeContext extends Pick<JudgeRequest, 'judge' | 'env' | 'credentials' | 'signal'> {
  /** Returns the sandbox with these writable folders; null: none. */
  sandboxFor: (writable: readonly string[]) => Sandbox | null
  gate: RateLimiter | undefined
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
