/** Opens the other side of a run's conversation. */
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import * as z from 'zod'
import { defaultUserTurns, type SimulatedUser } from '../../../../schemas/conversation.ts'
import { openTempDir } from '../../../base/fs/temp_dir.ts'
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
  type NextMessage,
  openScript,
  type Partner,
  type SaidSoFar,
  withEndCondition,
} from './partner.ts'
import { buildLeakPrompt, buildStatementPrompt, buildUserPrompt, type UserPromptRequest } from './user_prompt.ts'

/** null: the case has one turn. */
export async function openPartner(request: RunRequest): Promise<(Partner & AsyncDisposable) | null> {
  const { turns = [], user, end_when, answer_key: answerKey = [] } = request.spec
  if (turns.length === 0 && user === undefined) return null
  const model = await openUserModel(request)
  const decide = createDecider(model)
  const simulated = user === undefined ? null : openSimulatedUser({ user, answerKey, model: requireModel(model) })
  const partner = simulated ?? openScript(turns, decide)
  return {
    next: withEndCondition(partner, end_when, decide),
    asked: () => simulated?.asked() ?? (model === null ? undefined : { ...model.asked(), asked_again: 0 }),
    async [Symbol.asyncDispose]() {
      await model?.[Symbol.asyncDispose]()
    },
  }
}

function createDecider(model: AskableModel | null): DecideStatement {
  return async (statement, answer, signal) =>
    await decideStatement({ statement, answer, model: requireModel(model) }, signal)
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

interface SimulatedUserRequest {
  user: SimulatedUser
  /** Texts that the user may not tell the agent. The model sees them only in the guard's question, a call of its own. */
  answerKey: readonly string[]
  model: AskableModel
}

const userAnswer = z
  .object({
    facts_used: z.array(z.number().int()).describe('numbers of the facts that the message tells'),
    message: z.string(),
    done: z.enum(['goal_met', 'stop']).nullable(),
  })
  .refine(({ message, done }) => done !== null || message.trim() !== '', 'message is empty, and done is null')

export function openSimulatedUser({ user, answerKey, model }: SimulatedUserRequest): Partner {
  let askedAgain = 0
  const ask = async (request: UserPromptRequest, signal: AbortSignal): Promise<NextMessage> => {
    const outcome = await model.ask(buildUserPrompt(request), userAnswer, signal)
    if (outcome.status === 'error') return { kind: 'failed', error: toUserError(outcome, 'gave no message') }
    const { message, done } = outcome.value
    return done === null ? { kind: 'message', text: message.trim() } : { kind: 'ended', why: done }
  }
  return {
    async next(dialogue, signal) {
      const { turns } = dialogue
      if (turns.length > (user.max_turns ?? defaultUserTurns)) return { kind: 'ended', why: 'max_turns' }
      const findIn = (message: string) => findLeaks({ message, user, dialogue, answerKey }, model, signal)
      const first = await ask({ user, turns }, signal)
      if (first.kind !== 'message') return first
      const found = await findIn(first.text)
      if ('error' in found) return failUnchecked(found)
      if (found.length === 0) return first
      askedAgain += 1
      const second = await ask({ user, turns, refused: { message: first.text, found } }, signal)
      if (second.kind !== 'message') return second
      const left = await findIn(second.text)
      if ('error' in left) return failUnchecked(left)
      return left.length === 0 ? second : { kind: 'failed', error: describeLeak(left) }
    },
    asked: () => ({ ...model.asked(), asked_again: askedAgain }),
  }
}

function failUnchecked(failed: FailedAsk): NextMessage {
  return { kind: 'failed', error: toUserError(failed, 'did not say whether the message leaks') }
}

function describeLeak(found: readonly string[]): EngineError {
  const message = `the simulated user gave away what it cannot know, also when asked again: ${found.join('; ')}`
  return { kind: 'user_leak', message, retryable: false, retryAfterMs: null }
}

type FailedAsk = Extract<AskOutcome<unknown>, { status: 'error' }>

/** A failure of the provider keeps its kind; wrong answers are the user model's own. `did`: what it did not do. */
function toUserError({ error, failure }: FailedAsk, did: string): EngineError {
  if (failure !== undefined) return { ...failure, message: `the user model: ${failure.message}` }
  return { kind: 'user_error', message: `the user model ${did}: ${error}`, retryable: true, retryAfterMs: null }
}

const verdict = z.object({ why: z.string(), holds: z.boolean() })

/** Whether a statement about the agent's answer holds. Rejects only when aborted. */
export async function decideStatement(
  { statement, answer, model }: { statement: string; answer: string; model: Pick<AskableModel, 'ask'> },
  signal: AbortSignal,
): Promise<boolean | { error: EngineError }> {
  const outcome = await model.ask(buildStatementPrompt(statement, answer), verdict, signal)
  if (outcome.status === 'answered') return outcome.value.holds
  return { error: toUserError(outcome, `did not decide "${statement}"`) }
}

export interface GuardedMessage {
  message: string
  user: SimulatedUser
  dialogue: SaidSoFar
  answerKey: readonly string[]
}

const leakAnswer = z.object({
  leaks: z.boolean(),
  quote: z.string().describe('the words of the message that tell it; empty: none'),
})

/** What is too much in the message, in plain words for the model that wrote it; empty: nothing. The rule decides first, then one question. */
export async function findLeaks(
  guarded: GuardedMessage,
  model: Pick<AskableModel, 'ask'>,
  signal: AbortSignal,
): Promise<string[] | Extract<AskOutcome<unknown>, { status: 'error' }>> {
  const { message, answerKey } = guarded
  if (answerKey.length === 0) return []
  const details = findKeyDetails(guarded)
  if (details.length > 0) return [`details that you do not know: ${details.join('; ')}`]
  const sources = listSources(guarded)
  const outcome = await model.ask(buildLeakPrompt({ message, sources, answerKey }), leakAnswer, signal)
  if (outcome.status === 'error') return outcome
  const { leaks, quote } = outcome.value
  if (!leaks) return []
  // a quote of anything else could show the answer key to the model that plays the user
  return [`words that are not yours: ${quote !== '' && message.includes(quote) ? quote : message}`]
}

/** Numbers, identifiers, names and quotations of six words that the message and the answer key have and no source has. */
export function findKeyDetails(guarded: GuardedMessage): string[] {
  const message = normalise(guarded.message)
  const key = guarded.answerKey.map(normalise).join('\n')
  const keyWords = joinWords(key)
  const known = joinWords(listSources(guarded).map(normalise).join('\n'))
  const details = [...listQuotes(message), ...listTokens(message), ...listNames(message, key)]
  return [...new Set(details)].filter((one) => keyWords.includes(joinWords(one)) && !known.includes(joinWords(one)))
}

function listSources({ user, dialogue }: GuardedMessage): string[] {
  const { goal, facts = [], persona = '', stop = '' } = user
  return [goal, ...facts, persona, stop, ...dialogue.turns.flatMap(({ prompt, answer }) => [prompt, answer])]
}

/** Without invisible characters, which could split a word, and without separators of thousands. */
function normalise(text: string): string {
  const visible = text.normalize('NFKC').replaceAll(/\p{Cf}/gu, '')
  return visible.replaceAll(/(?<![\d.,])\d{1,3}(?:[.,'’ ]\d{3})+(?!\d)/g, (one) => one.replaceAll(/\D/g, ''))
}

/** The words with a space on either side of each, to look for some of them in a row. */
function joinWords(text: string): string {
  return ` ${
    text
      .toLowerCase()
      .match(/[\p{L}\p{N}_]+/gu)
      ?.join(' ') ?? ''
  } `
}

/** Words in a row that are no accident. */
const quoteLength = 6

function listQuotes(text: string): string[] {
  const words = text.match(/[\p{L}\p{N}_]+/gu) ?? []
  return words.map((_, at) => words.slice(at, at + quoteLength).join(' ')).slice(0, 1 - quoteLength)
}

/** Numbers and identifiers, such as 48213.70, TP533, fare_class and total.mjs. A single digit is in too many texts to tell anything. */
function listTokens(text: string): string[] {
  const tokens = text.match(/[\p{L}\p{N}_]+(?:[-./@:][\p{L}\p{N}_]+)*/gu) ?? []
  return tokens.filter((one) => /\d.*\d|\p{L}\d|_|\p{Ll}\p{Lu}|\p{L}{2}\.\p{L}/u.test(one))
}

/** Words of names in the key, which are two capitals in a row within a sentence: German writes every noun with one. */
function listNames(message: string, key: string): string[] {
  const names = key.match(/(?<=[\p{Ll}\d,;] )\p{Lu}[\p{L}'’-]+(?: \p{Lu}[\p{L}'’-]+)+/gu) ?? []
  const said = new Set(message.match(/\p{L}[\p{L}'’-]*/gu))
  return names.flatMap((name) => name.split(' ')).filter((word) => said.has(word))
}
