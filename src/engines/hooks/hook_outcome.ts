/** Reads the outcome of a hook by Claude Code's contract: exit code 2 or a JSON decision on stdout. Pure. */
import * as z from 'zod'
import type { TranscriptEvent } from '../../../schemas/transcript.ts'
import { tryParseJson } from '../../base/json/json.ts'

/** How the process of a hook ended. `exitCode` null: it was ended (at its time limit), or could not start. */
export interface HookEnd {
  event: string
  /** The tool that the event is about, if it is about one. */
  tool?: string | undefined
  exitCode: number | null
  stdout: string
  stderr: string
}

export interface HookVerdict {
  /** Why the call, or the end of the work, is blocked; null: it is not. */
  block: string | null
  /** Why the agent must stop at once; null: it need not. */
  stop: string | null
  context: string | null
  input: Record<string, unknown> | null
  /** The hook itself failed, and had no effect. */
  isError: boolean
}

const hookOutput = z.looseObject({
  continue: z.boolean().optional(),
  stopReason: z.string().optional(),
  decision: z.string().optional(),
  reason: z.string().optional(),
  hookSpecificOutput: z
    .looseObject({
      permissionDecision: z.string().optional(),
      permissionDecisionReason: z.string().optional(),
      additionalContext: z.string().optional(),
      updatedInput: z.record(z.string(), z.unknown()).optional(),
    })
    .optional(),
})

const nothing: HookVerdict = { block: null, stop: null, context: null, input: null, isError: false }

/** Exit code 2 blocks and stderr is the reason; JSON counts only with exit code 0; any other code has no effect. */
export function readHookVerdict({ exitCode, stdout, stderr }: HookEnd): HookVerdict {
  if (exitCode === 2) return { ...nothing, block: stderr.trim() || 'a hook said no, without a reason' }
  if (exitCode !== 0) return { ...nothing, isError: true }
  const json = hookOutput.safeParse(tryParseJson(stdout))
  if (!json.success) return nothing
  const { hookSpecificOutput: own = {}, decision, reason, stopReason } = json.data
  // nobody is there to answer, so "ask" denies
  const denies = ['deny', 'ask'].includes(own.permissionDecision ?? '') || decision === 'block'
  const why = own.permissionDecisionReason ?? reason ?? 'a hook said no, without a reason'
  return {
    block: denies ? why : null,
    stop: json.data.continue === false ? (stopReason ?? 'a hook ended the work') : null,
    context: own.additionalContext ?? null,
    input: own.updatedInput ?? null,
    isError: false,
  }
}

type HookEvent = Omit<Extract<TranscriptEvent, { type: 'hook' }>, 'at' | 'step'>

/** The event for a block when the engine reports only the reason, not the exit code. */
export function blockEvent({
  event,
  tool,
  reason,
}: {
  event: string
  tool?: string | undefined
  reason: string
}): HookEvent {
  const { exit_code, ...known } = hookEvent({ event, tool, exitCode: 2, stdout: '', stderr: reason })
  return known
}

/** The event of the transcript, without its step. After a call nothing is left to block, so a block is feedback. */
export function hookEvent(end: HookEnd): HookEvent {
  const { event, tool, exitCode, stdout, stderr } = end
  const { block, isError } = readHookVerdict(end)
  const outcome = block === null ? (isError ? 'error' : 'ok') : blocking.has(event) ? 'blocked' : 'feedback'
  const code = isError && exitCode !== null ? `(exit code ${exitCode})` : ''
  const text = block ?? [stdout.trim(), stderr.trim(), code].filter(Boolean).join('\n')
  const ended = exitCode === null ? {} : { exit_code: exitCode }
  return { type: 'hook', event, ...(tool && { tool }), outcome, text: text.slice(0, longest), ...ended }
}

const longest = 10_000

const blocking: ReadonlySet<string> = new Set([
  'PreToolUse',
  'PermissionRequest',
  'UserPromptSubmit',
  'Stop',
  'SubagentStop',
])
