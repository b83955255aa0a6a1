/** Selects a suite's hooks by Claude Code's matchers, and runs them around the tool loop: before and after each call, and at the end, by its contract. */
import { appendFile } from 'node:fs/promises'
import path from 'node:path'
import type { HookEntry, Hooks } from '../../../schemas/environment.ts'
import { findPattern } from '../../base/process/find_pattern.ts'
import { runProcess, SpawnError } from '../../base/process/spawn.ts'
import { withReadable } from '../../base/sandbox/policy.ts'
import { startTimeLimit } from '../../base/time/time_limit.ts'
import type { EmittedEvent, EngineContext, EngineTask } from '../engine.ts'
import type { ModelCall } from '../tool_loop/session.ts'
import type { ToolAnswer } from '../tool_loop/tools/tool.ts'
import { type HookEnd, type HookVerdict, hookEvent, readHookVerdict } from './hook_outcome.ts'

type HookEventName = 'PreToolUse' | 'PostToolUse' | 'Stop'

interface HookRequest {
  event: HookEventName
  tool: string | null
  /** Fields on stdin besides those that every hook gets. */
  about: Record<string, unknown>
  step: number
}

export class HookRunner {
  /** Names of the tools whose calls were blocked. */
  readonly denials: string[] = []
  /** Why a hook ended the work; null: none did. */
  stopped: string | null = null
  readonly #task: EngineTask
  readonly #context: EngineContext
  readonly #transcript: string
  #unwritten = ''
  #isContinued = false

  constructor(task: EngineTask, context: EngineContext) {
    this.#task = task
    this.#context = context
    this.#transcript = path.join(task.env.HOME ?? task.cwd, 'transcript.jsonl')
  }

  /** Emits an event, and keeps it for the transcript that hooks may read. */
  readonly emit = (event: EmittedEvent): void => {
    this.#unwritten += `${JSON.stringify(event)}\n`
    this.#context.emit(event)
  }

  async around(call: ModelCall, step: number, perform: (call: ModelCall) => Promise<ToolAnswer>): Promise<ToolAnswer> {
    const before = await this.#ask({ event: 'PreToolUse', tool: call.name, about: callFields(call), step })
    if (before.block !== null) {
      this.denials.push(call.name)
      return { text: `PreToolUse:${call.name} hook error: ${before.block}`, isError: true }
    }
    const done = before.input === null ? call : { ...call, input: before.input }
    const answer = await perform(done)
    // as in Claude Code, PostToolUse does not run after a failed call
    if (answer.isError) return withNotes(answer, [before.context])
    const about = { ...callFields(done), tool_response: toToolResponse(done, answer) }
    const after = await this.#ask({ event: 'PostToolUse', tool: call.name, about, step })
    const feedback = after.block === null ? null : `PostToolUse:${call.name} hook feedback: ${after.block}`
    return withNotes(answer, [before.context, feedback, after.context])
  }

  /** The message with which the model must go on; null: it may end. */
  async atEnd(text: string, step: number): Promise<string | null> {
    const about = { stop_hook_active: this.#isContinued, last_assistant_message: text }
    const { block } = await this.#ask({ event: 'Stop', tool: null, about, step })
    if (block === null || this.stopped !== null) return null
    this.#isContinued = true
    return `Stop hook feedback:\n${block}`
  }

  /** Runs all hooks that fit, at the same time. One that blocks is enough; of several inputs the last counts. */
  async #ask({ event, tool, about, step }: HookRequest): Promise<HookVerdict> {
    const met = await selectHooks(this.#task.environment?.hooks ?? {}, { event, tool }, this.#context.signal)
    const { entries, unknown } = met
    for (const stderr of unknown) {
      this.emit({ ...hookEvent({ event, tool: tool ?? undefined, exitCode: null, stdout: '', stderr }), step })
    }
    if (entries.length === 0) return combineVerdicts([])
    await appendFile(this.#transcript, this.#unwritten)
    this.#unwritten = ''
    const input = { ...this.#common(), hook_event_name: event, ...about }
    const place = { task: this.#task, signal: this.#context.signal }
    const ends = await Promise.all(entries.map((entry) => runHook(entry, input, place)))
    for (const end of ends) this.emit({ ...hookEvent({ ...end, tool: tool ?? undefined }), step })
    const verdict = combineVerdicts(ends.map(readHookVerdict))
    this.stopped ??= verdict.stop
    return verdict
  }

  #common() {
    const { sessionId, cwd } = this.#task
    return { session_id: sessionId, transcript_path: this.#transcript, cwd, permission_mode: 'bypassPermissions' }
  }
}

function combineVerdicts(verdicts: readonly HookVerdict[]): HookVerdict {
  const contexts = verdicts.flatMap(({ context }) => context ?? [])
  return {
    block: verdicts.find(({ block }) => block !== null)?.block ?? null,
    stop: verdicts.find(({ stop }) => stop !== null)?.stop ?? null,
    context: contexts.length === 0 ? null : contexts.join('\n'),
    input: verdicts.findLast(({ input }) => input !== null)?.input ?? null,
    isError: false,
  }
}

function callFields({ id, name, input }: ModelCall) {
  return { tool_name: name, tool_input: input, tool_use_id: id }
}

/** For Bash the same fields as in Claude Code; for the other tools the text. */
function toToolResponse({ name }: ModelCall, { text }: ToolAnswer) {
  return name === 'Bash' ? { stdout: text, stderr: '', interrupted: false, isImage: false } : { content: text }
}

function withNotes(answer: ToolAnswer, notes: readonly (string | null)[]): ToolAnswer {
  const said = notes.filter((note) => note !== null)
  return said.length === 0 ? answer : { ...answer, text: [answer.text, ...said].join('\n\n') }
}

const defaultSeconds = 600
const longestSeconds = 3600
const outputLimit = 1024 * 1024

interface HookPlace {
  task: Pick<EngineTask, 'cwd' | 'env' | 'sandbox' | 'environment'>
  signal: AbortSignal
}

/** Resolves however the hook ends, even if its command can't start; rejects only when aborted. The hook gets no credentials. */
async function runHook(
  entry: HookEntry,
  input: { hook_event_name: string; tool_name?: string },
  { task, signal }: HookPlace,
): Promise<HookEnd> {
  const about = { event: input.hook_event_name, tool: input.tool_name }
  const seconds = Math.min(entry.timeout ?? defaultSeconds, longestSeconds)
  using limit = startTimeLimit(seconds * 1000, [signal])
  try {
    const end = await runProcess({
      command: '/bin/sh',
      args: ['-c', entry.command ?? ''],
      cwd: task.cwd,
      env: { ...task.env, CLAUDE_PROJECT_DIR: task.cwd },
      stdin: JSON.stringify(input),
      stdoutLimit: outputLimit,
      signal: limit.signal,
      sandbox: withReadable(task.sandbox, task.environment === undefined ? [] : [task.environment.folder]),
    })
    return { ...about, exitCode: end.exitCode, stdout: end.stdout, stderr: end.stderrTail }
  } catch (error) {
    signal.throwIfAborted()
    if (!limit.signal.aborted && !(error instanceof SpawnError)) throw error
    const stderr = limit.signal.aborted ? `no end within ${seconds} s` : String(error)
    return { ...about, exitCode: null, stdout: '', stderr }
  }
}

interface Occasion {
  event: string
  /** null: the event is not about a tool. */
  tool: string | null
}

interface SelectedHooks {
  entries: HookEntry[]
  /** Why it is unknown whether a matcher fits; hooks of such matchers are not among the entries. */
  unknown: string[]
}

/** The command hooks of an event that fit the tool. Rejects only when aborted. */
export async function selectHooks(
  hooks: Hooks,
  { event, tool }: Occasion,
  signal: AbortSignal,
): Promise<SelectedHooks> {
  signal.throwIfAborted()
  const all: HookEntry[] = []
  const unknown: string[] = []
  for (const { matcher = '', hooks: entries } of hooks[event] ?? []) {
    const fit = tool === null ? true : await fitsMatcher(matcher, tool, signal)
    if (typeof fit === 'string') unknown.push(fit)
    else if (fit) all.push(...entries.filter(({ type }) => type === 'command'))
  }
  return { entries: [...new Map(all.map((entry) => [entry.command, entry])).values()], unknown }
}

/**
 * Empty or * fits every tool; plain names joined by | must be the whole name; anything else is a regular expression. Returns a text
 * with the reason if the expression takes too long. Rejects only when aborted.
 */
export async function fitsMatcher(matcher: string, tool: string, signal: AbortSignal): Promise<boolean | string> {
  if (matcher === '' || matcher === '*') return true
  if (/^[\w|]+$/.test(matcher)) return matcher.split('|').includes(tool)
  const found = await findPattern({ pattern: matcher }, [tool], signal)
  if ('value' in found) return found.value.index === 0
  return found.by === 'limit' && `the matcher ${matcher.slice(0, 100)} on ${tool.slice(0, 100)}: ${found.error}`
}
