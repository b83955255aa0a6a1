/** What is known of an agent's turns in one session: updates, permissions and answers; becomes the report at the end. */
import path from 'node:path'
import * as z from 'zod'
import type { Usage } from '../../../schemas/usage.ts'
import { isSubpath } from '../../base/fs/inside_folder.ts'
import type { ProcessEnd } from '../../base/process/spawn.ts'
import { toRunError } from '../../engines/cli/run_failure.ts'
import {
  type EngineContext,
  type EngineError,
  type EngineReport,
  type EngineTask,
  emptyReport,
} from '../../engines/engine.ts'
import { contextFull } from '../../engines/limits/error_text.ts'
import { addUsage, knownUsage, withCost } from '../../engines/models/cost.ts'
import type { Handshake } from './handshake.ts'
import type { PreparedAgent } from './plain_agent.ts'
import type { PermissionRequest, PromptResult, ToolCallRecord } from './records.ts'
import { Updates } from './updates.ts'

/** Requests for permission in a row, without any other sign of work: more are a loop. */
const permissionLimit = 100

export interface AgentTurnsRequest {
  task: EngineTask
  context: Pick<EngineContext, 'emit'>
  agent: PreparedAgent
  skillsFolder: string
  halt(end: TurnEnd): void
}

export class AgentTurns {
  readonly updates: Updates
  handshake: Extract<Handshake, { ok: true }> | null = null
  /** The answers to the prompts, one a turn. */
  readonly results: PromptResult[] = []
  /** From now on nothing more that the agent does belongs to the run, and nothing more is allowed. */
  isHalted = false
  readonly #request: AgentTurnsRequest
  readonly #denied: string[] = []
  #hasCalled = false
  #asked = 0

  constructor(request: AgentTurnsRequest) {
    this.#request = request
    const { task, context, skillsFolder } = request
    this.updates = new Updates({
      ...{ skills: task.skills, skillsFolder, maxTurns: task.maxTurns, emit: context.emit },
      onEnough: (reason) => this.#halt(reason === 'max_turns' ? { kind: 'max_turns' } : flood),
    })
  }

  #halt(end: TurnEnd): void {
    this.isHalted = true
    this.#request.halt(end)
  }

  takeNotification(method: string, params: unknown): void {
    if (this.isHalted) return
    const read = method === 'session/update' ? notice.safeParse(params) : null
    if (read?.success !== true) {
      this.updates.keep(method, params)
      return
    }
    this.#asked = 0
    this.updates.take(read.data.update)
    this.#hasCalled ||= this.updates.calls.count > 0
  }

  answerPermission(request: PermissionRequest) {
    if (this.#asked >= permissionLimit) this.#halt(permissionLoop)
    if (this.isHalted) return { outcome: 'cancelled' } as const
    this.#asked += 1
    const name = this.updates.askedFor(request.toolCall)
    this.#hasCalled = true
    const { isAllowed, outcome } = answerPermission(request, this.#request.task)
    if (!isAllowed) this.#denied.push(name)
    return outcome
  }

  get result(): PromptResult | null {
    return this.results.at(-1) ?? null
  }

  /** Whether the model has given a whole response: a call is one, and so is the end of the turn. */
  get hasAnswered(): boolean {
    const isOver = this.updates.step > 0 && this.results.some(({ stopReason }) => stopReason !== 'cancelled')
    return isOver || this.#hasCalled
  }

  /** Whether the tokens that it reports are of the turn's last response only, as opencode's are: of several, the sum is more than the context. */
  get countsLastResponse(): boolean {
    const { step, stepsBefore, contextTokens } = this.updates
    const last = this.result && readUsage(this.result)
    if (last === null || contextTokens === null || step - stepsBefore < 2) return false
    return last.input_tokens + last.cache_read_tokens + last.cache_write_tokens <= contextTokens
  }

  /** The report from what was seen so far. Never rejects. */
  async report(end: TurnEnd | null): Promise<EngineReport> {
    const { updates, handshake, result } = this
    const { startModel } = this.#request.agent
    const text = updates.lastText
    const usd = updates.costUsd
    return await withCost({
      ...emptyReport,
      finalResponse: text,
      version: handshake?.agent.agentInfo?.version ?? null,
      model: startModel ?? (result && readUsedModel(result)) ?? handshake?.model ?? null,
      provider: null,
      sessionId: handshake?.started.sessionId ?? null,
      usage: this.countsLastResponse ? null : sumUsage(this.results),
      cost: usd !== null && usd > 0 ? { usd, source: 'agent' } : null,
      stopReason: end === null ? null : this.stopReason(end),
      exitCode: end?.kind === 'gone' ? end.process.exitCode : null,
      signal: end?.kind === 'gone' ? end.process.signal : null,
      permissionDenials: [...this.#denied],
      answered: this.hasAnswered,
    })
  }

  /** Why the last turn ended, in the words of the other engines. */
  stopReason(end: TurnEnd): string | null {
    if (end.kind === 'max_turns') return 'max_turns'
    if (end.kind === 'context_full') return contextFull
    if (end.kind !== 'over') return null
    const { stopReason } = end.result
    return stopReason === 'max_turn_requests' ? 'max_turns' : stopReason
  }
}

const notice = z.looseObject({ update: z.unknown() })

const flood: TurnEnd = {
  kind: 'failed',
  error: toRunError('bad_output', 'the agent sent more updates than a run may have'),
}

const permissionLoop: TurnEnd = {
  kind: 'failed',
  error: toRunError(
    'bad_output',
    `the agent asked for permission more than ${permissionLimit} times in a row and did nothing else`,
  ),
}

/**
 * The tokens of all turns; null: not known. The protocol leaves open whether an answer has those of its turn or of the session so far:
 * they are added up if they can't be sums already.
 */
function sumUsage(results: readonly PromptResult[]): Usage | null {
  // a turn that was cancelled is not over, and may have no count yet
  const all = results.map(readUsage).filter((one, at) => one !== null || results[at]?.stopReason !== 'cancelled')
  const known = all.filter((one) => one !== null)
  const [first] = known
  if (first === undefined || known.length < all.length) return null
  if (known.length === 1) return first
  const isOfTurns =
    results.every(({ usage }) => !usage) || known.some((one, at) => at > 0 && !isSumWith(one, known[at - 1] ?? one))
  return isOfTurns ? known.reduce(addUsage) : null
}

/** Whether the later count may include the earlier one: no part is lower, and the later turn has output of its own. */
function isSumWith(later: Usage, earlier: Usage): boolean {
  const names = ['input_tokens', 'cache_read_tokens', 'cache_write_tokens'] as const
  return names.every((name) => later[name] >= earlier[name]) && later.output_tokens > earlier.output_tokens
}

/** null: not reported. Gemini CLI has a field of its own, which counts cached tokens as input. */
function readUsage({ usage, _meta }: PromptResult): Usage | null {
  if (!usage) {
    const counted = _meta?.quota?.token_count
    if (!counted) return null
    const { input_tokens, output_tokens } = counted
    return knownUsage({ input_tokens, output_tokens, cache_read_tokens: 0, cache_write_tokens: 0 })
  }
  const { inputTokens, outputTokens, totalTokens } = usage
  const [read, write, thought] = [usage.cachedReadTokens ?? 0, usage.cachedWriteTokens ?? 0, usage.thoughtTokens ?? 0]
  // only the total shows whether cached and reasoning tokens are part of the others
  const rest = Math.max(0, (totalTokens ?? inputTokens + outputTokens) - inputTokens - outputTokens)
  const isCacheApart = rest >= read + write
  const isThoughtApart = thought > 0 && rest === thought + (isCacheApart ? read + write : 0)
  return knownUsage({
    input_tokens: Math.max(0, inputTokens - (isCacheApart ? 0 : read + write)),
    output_tokens: outputTokens + (isThoughtApart ? thought : 0),
    cache_read_tokens: read,
    cache_write_tokens: write,
    ...(thought > 0 ? { reasoning_tokens: thought } : {}),
  })
}

/** The model that Gemini CLI names there; null: none, or several. */
function readUsedModel({ _meta }: PromptResult): string | null {
  const [one, ...others] = _meta?.quota?.model_usage ?? []
  return one !== undefined && others.length === 0 ? one.model : null
}

const allowing = ['allow_once', 'allow_always']
const rejecting = ['reject_once', 'reject_always']

interface PermissionAnswer {
  isAllowed: boolean
  outcome: { outcome: 'selected'; optionId: string } | { outcome: 'cancelled' }
}

/** An agent may do everything, because the sandbox confines it; a judge may only read below its folder. */
function answerPermission(
  { toolCall, options }: PermissionRequest,
  { tools, cwd }: Pick<EngineTask, 'tools' | 'cwd'>,
): PermissionAnswer {
  const isAllowed = tools === 'all' || (tools === 'read_only' && readsBelow(cwd, toolCall))
  const kinds = isAllowed ? allowing : rejecting
  const option = kinds.map((kind) => options.find((one) => one.kind === kind)).find((one) => one !== undefined)
  if (option === undefined) return { isAllowed: false, outcome: { outcome: 'cancelled' } }
  return { isAllowed, outcome: { outcome: 'selected', optionId: option.optionId } }
}

/** Whether the call only reads, and every path that it names is below the folder. A call that names none may read anything. */
function readsBelow(cwd: string, { kind, locations, rawInput }: ToolCallRecord): boolean {
  if (kind !== 'read' && kind !== 'search') return false
  const inputs = rawInput !== null && typeof rawInput === 'object' ? Object.values(rawInput) : []
  const named = inputs.filter((one) => typeof one === 'string').filter((one) => /[/\\~]|^\.\.$/.test(one))
  const paths = [...(locations ?? []).map((one) => one.path), ...named]
  return paths.length > 0 && paths.every((one) => !one.startsWith('~') && isSubpath(path.resolve(cwd, one), cwd))
}

/**
 * over: by the agent; max_turns: after its last allowed turn; context_full: its context was full after an answer; gone: its process
 * ended; aborted: from outside; no_message: the user's next message could not be had.
 */
export type TurnEnd =
  | { kind: 'over'; result: PromptResult }
  | { kind: 'max_turns' }
  | { kind: 'context_full' }
  | { kind: 'failed'; error: EngineError }
  | { kind: 'gone'; process: ProcessEnd }
  | { kind: 'aborted' }
  | { kind: 'no_message'; error: unknown }
