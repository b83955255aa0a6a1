/** Opens the other side of a run's conversation. */
import { readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import Handlebars from 'handlebars'
import * as z from 'zod'
import { openTempDir } from '../../../base/fs/temp_dir.ts'
import { createDataFence, foldLines } from '../../../base/text/fence.ts'
import { type AskOutcome, askEngine } from '../../../engines/ask/ask.ts'
import { type CallUsage, sumCallUsage, toAskedJudge } from '../../../engines/ask/cost_meter.ts'
import type { EngineError } from '../../../engines/engine.ts'
import { openRateLimiter } from '../../../engines/limits/rate_limiter.ts'
import { selectCredentials } from '../../../engines/models/base_url.ts'
import { findEngine } from '../../../engines/table.ts'
import type { RunRequest } from '../run_request.ts'
import { buildRunEnvironment } from '../workspace/run_environment.ts'
import { confine } from '../workspace/sandbox_policy.ts'
import {
  type AskableModel,
  type DecideStatement,
  openScript,
  openSimulatedUser,
  type Partner,
  withEndCondition,
} from './partner.ts'

export async function openPartner(request: RunRequest): Promise<(Partner & AsyncDisposable) | null> {
  const { turns = [], user, end_when, answer_key: answerKey = [] } = request.spec
  if (turns.length === 0 && user === undefined) return null
  const model = await openUserModel(request)
  const decide: DecideStatement = async (statement, answer, signal) =>
    await decideStatement({ statement, answer, model: requireModel(model) }, signal)
  const simulated = user === undefined ? null : await openSimulatedUser({ user, answerKey, model: requireModel(model) })
  const partner = simulated ?? openScript(turns, decide)
  return {
    next: withEndCondition(partner, end_when, decide),
    asked: () => simulated?.asked() ?? (model === null ? undefined : { ...model.asked(), asked_again: 0 }),
    async [Symbol.asyncDispose]() {
      await model?.[Symbol.asyncDispose]()
    },
  }
}

/** The plan names a model for each case that needs one. */
function requireModel(model: AskableModel | null): AskableModel {
  if (model === null) throw new Error('the run needs a user model, and its plan names none')
  return model
}

type ModelRequest = Pick<RunRequest, 'spec' | 'userEngine' | 'userEnv' | 'passEnv' | 'hidden' | 'sandbox'>

/** null: the case needs none. */
async function openUserModel(request: ModelRequest): Promise<(AskableModel & AsyncDisposable) | null> {
  const { user_engine: choice } = request.spec
  if (choice === undefined) return null
  const engine = request.userEngine ?? findEngine(choice.name)
  const { userEnv: user, passEnv, hidden } = request
  const tempDir = await openTempDir()
  const cwd = path.join(tempDir.path, 'empty')
  await mkdir(cwd)
  const env = buildRunEnvironment({ user, home: tempDir.path, mark: tempDir.mark, passEnv, hidden })
  const base = {
    model: choice.model,
    effort: choice.effort,
    command: choice.command ?? null,
    cwd,
    env: { ...env, TMPDIR: tempDir.path },
    credentials: selectCredentials(engine, choice, user),
    skills: [],
    tools: 'none' as const,
    maxTurns: null,
    sandbox: confine(request.sandbox, { writable: [tempDir.path], hidden, settings: undefined }),
  }
  const spent: CallUsage[] = []
  return {
    async ask(prompt, schema, signal) {
      const context = { signal, emit: () => {}, stderrFile: null, gate: openRateLimiter(null) }
      const outcome = await askEngine({ engine, task: { ...base, prompt }, schema, context })
      spent.push(outcome.spent)
      return outcome
    },
    asked: () => toAskedJudge(choice, sumCallUsage(spent)),
    [Symbol.asyncDispose]: () => tempDir[Symbol.asyncDispose](),
  }
}

/** What a question to the user model ended with. */
export type FailedAsk = Extract<AskOutcome<unknown>, { status: 'error' }>

/** A failure of the provider keeps its kind; wrong answers are the user model's own. `did`: what it did not do. */
export function toUserError({ error, failure }: FailedAsk, did: string): EngineError {
  if (failure !== undefined) return { ...failure, message: `the user model: ${failure.message}` }
  return { kind: 'user_error', message: `the user model ${did}: ${error}`, retryable: true, retryAfterMs: null }
}

const verdict = z.object({ why: z.string(), holds: z.boolean() })

const statementTemplate = Handlebars.compile(readFileSync(new URL('./statement_prompt.md', import.meta.url), 'utf8'), {
  strict: true,
  noEscape: true,
})

/** Whether a statement about the agent's answer holds. Rejects only when aborted. */
export async function decideStatement(
  { statement, answer, model }: { statement: string; answer: string; model: Pick<AskableModel, 'ask'> },
  signal: AbortSignal,
): Promise<boolean | { error: EngineError }> {
  const { told: fenceNote, around } = createDataFence([answer])
  const prompt = statementTemplate({ statement: foldLines(statement), fenceNote, answer: around(answer) })
  const outcome = await model.ask(prompt, verdict, signal)
  if (outcome.status === 'answered') return outcome.value.holds
  return { error: toUserError(outcome, `did not decide "${statement}"`) }
}
