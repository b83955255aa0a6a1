/** What the end of a hook means, by Claude Code's contract: exit code 2 or a JSON decision on stdout. Pure. */
import { z } from 'zod'
import type { TranscriptEvent } from '../../../schemas/transcript.ts'
import { jsonIn } from '../../base/json.ts'

/** How the process of a hook ended. `exitCode` null: it was ended (its time was over). */
export interface HookEnd {
  event: string
  /** The tool it was about, where it was about one. */
  tool?: string | undefined
  exitCode: number | null
  stdout: string
  stderr: string
}

export interface HookVerdict {
  /** Why the call, or the end of the work, is not let through; null: it is. */
  block: string | null
  /** Why the agent must stop at once; null: it need not. */
  stop: string | null
  /** What the model is told besides. */
  context: string | null
  /** The input that the call gets instead. */
  input: Record<string, unknown> | null
  /** It had no effect: it failed by itself. */
  isError: boolean
}

const said = z.looseObject({
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
export function verdictOf({ exitCode, stdout, stderr }: HookEnd): HookVerdict {
  if (exitCode === 2) return { ...nothing, block: stderr.trim() || 'a hook said no, without a reason' }
  if (exitCode !== 0) return { ...nothing, isError: true }
  const json = said.safeParse(jsonIn(stdout))
  if (!json.success) return nothing
  const { hookSpecificOutput: own = {}, decision, reason, stopReason } = json.data
  // nobody is there to be asked
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

/** The event of the transcript, without its step. After a call nothing is left to block: that is feedback. */
export function hookEvent(end: HookEnd): Omit<Extract<TranscriptEvent, { type: 'hook' }>, 'at' | 'step'> {
  const { event, tool, exitCode, stdout, stderr } = end
  const { block, isError } = verdictOf(end)
  const outcome = block === null ? (isError ? 'error' : 'ok') : blocking.has(event) ? 'blocked' : 'feedback'
  const code = isError && exitCode !== null ? `(exit code ${exitCode})` : ''
  const text = block ?? [stdout.trim(), stderr.trim(), code].filter(Boolean).join('\n')
  return { type: 'hook', event, ...(tool && { tool }), outcome, text: text.slice(0, longest) }
}

const longest = 10_000

const blocking: ReadonlySet<string> = new Set([
  'PreToolUse',
  'PermissionRequest',
  'UserPromptSubmit',
  'Stop',
  'SubagentStop',
])
