/** Claude Code's session files: `~/.claude/projects/<folder>/<session>.jsonl`, as version 2.1 writes them. Also saved stream-json. */
import * as z from 'zod'
import { contentText } from '../../../engines/answers/content_text.ts'
import { claudeUsage, usageSoFar } from '../../../engines/claude_code/report.ts'
import { ClaudeStream } from '../../../engines/claude_code/stream.ts'
import { claudeModelUsage } from '../../../engines/claude_code/stream_records.ts'
import { parseJsonLine } from '../../../engines/cli/json_line.ts'
import { readPersonText } from '../person_text.ts'
import type { LineReader, SessionFile, SessionLineFormat, SessionOutcome } from '../session_format.ts'
import { SessionRecorder } from '../session_recorder.ts'

const envelope = z.looseObject({
  type: z.string(),
  subtype: z.string().optional().catch(undefined),
  uuid: z.string().optional().catch(undefined),
  sessionId: z.string().optional().catch(undefined),
  session_id: z.string().optional().catch(undefined),
  cwd: z.string().optional().catch(undefined),
  timestamp: z.unknown().optional(),
  isSidechain: z.boolean().optional().catch(undefined),
  isMeta: z.boolean().optional().catch(undefined),
  isCompactSummary: z.boolean().optional().catch(undefined),
  message: z.looseObject({ content: z.unknown() }).optional().catch(undefined),
  attachment: z.looseObject({ type: z.string() }).optional().catch(undefined),
})

type ClaudeEntry = z.infer<typeof envelope>

const costState = z.looseObject({
  totalCostUSD: z.number().nonnegative(),
  modelUsage: z.record(z.string(), claudeModelUsage).default({}),
  hasUnknownModelCost: z.boolean().default(false),
})

/** Records that Claude Code keeps for itself: what they contain is also in other records, or is no part of the conversation. */
const ownRecords = new Set([
  ...['summary', 'file-history-snapshot', 'file-history-delta', 'queue-operation', 'progress', 'last-prompt', 'mode'],
  ...['permission-mode', 'custom-title', 'ai-title', 'agent-name', 'agent-color', 'agent-setting', 'tag', 'pr-link'],
  ...['worktree-state', 'content-replacement', 'atis-latch', 'tools-used', 'task-summary', 'stream_event'],
  ...['api-request', 'api-request-shape', 'api-request-blob', 'rate_limit_event', 'tool_progress', 'auth_status'],
])

export const claudeCodeSessions: SessionLineFormat = {
  recognizes(record) {
    const { type, sessionId, session_id, leafUuid, snapshot } = record
    if (typeof type !== 'string') return false
    if (type === 'system' && record.subtype === 'init') return typeof session_id === 'string'
    return (
      typeof sessionId === 'string' || typeof leafUuid === 'string' || (type.startsWith('file-history') && !!snapshot)
    )
  },
  open: (file) => new ClaudeCodeReader(file),
}

class ClaudeCodeReader implements LineReader {
  readonly #recorder: SessionRecorder
  readonly #stream: ClaudeStream
  readonly #ids = new Set<string>()
  #cost: z.infer<typeof costState> | null = null
  #hasSidechain = false

  constructor({ file, changedAt }: SessionFile) {
    this.#recorder = new SessionRecorder(file, 'claude-code', changedAt)
    this.#stream = new ClaudeStream({ skills: [], skillsFolder: '.claude/skills', emit: this.#recorder.emit })
  }

  take(line: string, number: number): void {
    this.#recorder.records += 1
    const read = parseJsonLine(line)
    const entry = read.kind === 'object' ? envelope.safeParse(read.value) : null
    if (!entry?.success || !this.#takeEntry(entry.data, line)) this.#recorder.skip(`line ${number}`, line)
  }

  /** Whether the record could be read. */
  #takeEntry(entry: ClaudeEntry, line: string): boolean {
    const { type, uuid } = entry
    if (uuid !== undefined) {
      if (this.#ids.has(uuid)) return true // a resumed session repeats it
      this.#ids.add(uuid)
    }
    if (entry.isSidechain === true) {
      this.#hasSidechain = true
      return true // of a sub-agent: the call of the sub-agent and its answer are in the conversation
    }
    this.#recorder.setTime(entry.timestamp)
    this.#recorder.id = entry.sessionId ?? entry.session_id ?? this.#recorder.id
    this.#recorder.cwd ??= entry.cwd ?? null
    if (type === 'assistant' || type === 'result') return this.#takeStreamed(entry, line)
    if (type === 'user') return this.#takeUser(entry, line)
    if (type === 'system') return this.#takeSystem(entry, line)
    if (type === 'attachment') return this.#takeAttachment(entry)
    if (type === 'cost-state') return this.#takeCost(entry)
    return ownRecords.has(type)
  }

  #takeStreamed({ type, message }: ClaudeEntry, line: string): boolean {
    if (type === 'assistant' && !Array.isArray(message?.content)) return false
    this.#stream.take(line)
    const reason = message?.stop_reason
    if (typeof reason === 'string') this.#recorder.stopReason = reason
    return true
  }

  #takeUser(entry: ClaudeEntry, line: string): boolean {
    const { message, isMeta, isCompactSummary } = entry
    if (message === undefined) return false
    const blocks = Array.isArray(message.content) ? message.content : null
    if (blocks?.some((block) => block?.type === 'tool_result')) this.#stream.take(line)
    else if (typeof message.content !== 'string' && blocks === null) return false
    else if (isCompactSummary === true) this.#recorder.note('compact_summary', contentText(message.content))
    else if (isMeta === true) this.#takeAdded(contentText(message.content))
    else this.#takeWritten(contentText(message.content))
    return true
  }

  #takeAdded(text: string): void {
    this.#recorder.note('added_text', text)
    const folder = /^Base directory for this skill: .*?([^/\\\n]+)[/\\]?$/m.exec(text)?.[1]
    if (folder !== undefined) this.#recorder.readSkill(folder, 'command')
  }

  #takeWritten(text: string): void {
    const { said, added } = readPersonText(text)
    if (added !== null) this.#recorder.note('added_text', added)
    this.#recorder.say(said)
  }

  #takeSystem({ subtype, content }: ClaudeEntry & { content?: unknown }, line: string): boolean {
    if (subtype === 'init') {
      this.#stream.take(line)
      const skills = this.#stream.init?.skills
      if (skills !== undefined) this.#recorder.offer(skills)
    } else if (subtype === 'compact_boundary') this.#recorder.note('compact_boundary', contentText(content))
    else if (subtype === 'api_error') this.#recorder.note('api_error', contentText(content))
    return subtype !== undefined
  }

  #takeAttachment({ attachment }: ClaudeEntry): boolean {
    if (attachment === undefined) return false
    const { type, content, names, prompt, commandMode } = attachment
    if (type === 'skill_listing') this.#recorder.offer(readListedSkills(names, content))
    // written while the agent was busy
    if (type === 'queued_command' && (commandMode ?? 'prompt') === 'prompt') this.#takeWritten(contentText(prompt))
    return true
  }

  #takeCost(entry: ClaudeEntry): boolean {
    const read = costState.safeParse(entry)
    if (read.success) this.#cost = read.data
    return read.success
  }

  end(): SessionOutcome {
    if (this.#recorder.isEmpty) {
      return { refused: this.#hasSidechain ? 'only the work of a sub-agent' : 'nothing was said in it' }
    }
    const { result } = this.#stream
    this.#recorder.model = this.#stream.model ?? this.#stream.init?.model ?? null
    if (result !== null) this.#recorder.stopReason = result.stop_reason ?? result.subtype
    const totals = this.#cost ?? result
    const usage = (totals === null ? null : claudeUsage(totals)) ?? usageSoFar(this.#stream)
    const usd =
      this.#cost === null ? result?.total_cost_usd : this.#cost.hasUnknownModelCost ? null : this.#cost.totalCostUSD
    return { session: this.#recorder.end({ usage, costUsd: usd || null }), recordIds: this.#ids }
  }
}

/** The names in a list of `- name: description`; versions that list `names` apart are read from there. */
function readListedSkills(names: unknown, content: unknown): string[] {
  const listed = z.array(z.string()).safeParse(names)
  if (listed.success) return listed.data
  return [...contentText(content).matchAll(/^- ([\w.-]+(?::[\w.-]+)?): /gm)].flatMap(([, name]) => name ?? [])
}
