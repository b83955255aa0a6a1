/** Writes a recorded session as the files of a run: record, transcript, and the files that the user says it left. */
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { ConversationRecord } from '../../../../schemas/conversation.ts'
import type { RunSpec } from '../../../../schemas/plan.ts'
import { type RunRecord, runRecord } from '../../../../schemas/run.ts'
import type { TranscriptEvent } from '../../../../schemas/transcript.ts'
import { UserError } from '../../../base/errors/error.ts'
import { copyWalk, hashFile, walk } from '../../../base/fs/files.ts'
import { isIgnoredPath } from '../../../base/fs/ignored_folders.ts'
import { checkAs } from '../../../base/json/json.ts'
import { jsonText } from '../../../base/json/json_text.ts'
import { getRedactor } from '../../../base/secrets/redact.ts'
import type { FlowContext } from '../../../flows/flow_context.ts'
import { countEvents } from '../../../phases/2-run/collect/transcript.ts'
import { writeRunFiles } from '../../../phases/2-run/collect/write_run.ts'
import { runPaths } from '../../../store/paths.ts'
import type { Session } from '../session.ts'

export interface PlannedSession {
  session: Session
  spec: RunSpec
}

/** Why checks on files are undecided. */
const unknownFiles = 'the files that the session left are not known (give the folder with --files)'

/** What is copied from the folder of --files at most. */
const fileLimits = { files: 5000, bytes: 200 * 1024 * 1024 }

/** `files`: the folder as the session left it; null: not known. */
export async function writeSession(
  benchmark: string,
  { session, spec }: PlannedSession,
  { files, context }: { files: string | null; context: FlowContext },
): Promise<void> {
  const { folder } = runPaths(benchmark, spec.run_id)
  mkdirSync(path.join(folder, 'outputs'), { recursive: true })
  const redactor = getRedactor(context.env)
  const events = session.events.map((event) => redactor.value(event))
  const outputs = await copyOutputs(files, path.join(folder, 'outputs'))
  const record = redactor.value(buildRecord({ ...session, events }, spec, outputs))
  writeFileSync(path.join(folder, 'transcript.jsonl'), events.map((event) => `${jsonText(event)}\n`).join(''))
  const file = path.join(folder, 'run.json')
  await writeRunFiles({ folder, record: checkAs(runRecord, record, file), events, prompt: redactor.text(spec.prompt) })
}

async function copyOutputs(files: string | null, target: string): Promise<RunRecord['outputs']> {
  if (files === null) return { files: [], deleted: [], left_out: [{ path: '.', reason: unknownFiles }] }
  const found = await walk(files, { skip: isIgnoredPath, links: 'never', unreadable: 'leave_out' })
  const bytes = found.files.reduce((sum, one) => sum + one.bytes, 0)
  if (found.files.length > fileLimits.files || bytes > fileLimits.bytes) {
    const size = `${found.files.length} files, ${Math.round(bytes / 1024 / 1024)} MB`
    throw new UserError(
      `--files ${files}: too much to copy (${size})`,
      'give a folder of at most 5000 files and 200 MB',
    )
  }
  await copyWalk(found.files, target)
  const copied = found.files.map(async (one) => {
    return { path: one.path, bytes: one.bytes, sha256: await hashFile(one.source), change: 'created' as const }
  })
  const left_out = found.leftOut.map(({ path: place, reason }) => ({ path: place, reason }))
  return { files: await Promise.all(copied), deleted: [], left_out }
}

function buildRecord(session: Session, spec: RunSpec, outputs: RunRecord['outputs']): RunRecord {
  const { events, skills, usage, costUsd, agent, model, unread } = session
  const counted = countEvents(events)
  const end = events.findLast((event) => event.type === 'result')
  const name = spec.skill?.name
  const isIt = (one: string) => one === name || one.endsWith(`:${name}`)
  const read = counted.skillReads.find(({ skill }) => isIt(skill))
  const ended = session.endedAt ?? events.at(-1)?.at ?? spec.engine.name
  const { run_id, eval_id, eval_name, configuration, run_number, key, activation } = spec
  const shared = {
    ...{
      conversation: readSessionTurns(events),
      schema_version: 1 as const,
      run_id,
      eval_id,
      eval_name,
      configuration,
      run_number,
      key,
    },
    engine: { name: agent, version: null, model, provider: null },
    observed: true as const,
    activation,
    started_at: session.startedAt ?? ended,
    ended_at: ended,
    // milliseconds between its events, without the time until each message of the person
    duration_ms: events.reduce((sum, event, index) => {
      const before = events[index - 1]
      if (before === undefined || event.type === 'user') return sum
      return sum + Math.max(0, Date.parse(event.at) - Date.parse(before.at))
    }, 0),
    attempts: 1,
    session_id: session.id,
    usage,
    cost: costUsd === null ? null : { usd: costUsd, source: 'agent' as const },
    steps: counted.steps,
    stop_reason: end?.stop_reason ?? null,
    exit_code: null,
    signal: null,
    final_response: end?.text ?? '',
    skill: {
      offered: name === undefined || skills.offered === null ? null : skills.offered.some(isIt),
      read: name === undefined ? null : read !== undefined,
      read_at_step: read?.step ?? null,
    },
    loaded: { skills: skills.offered ?? [], tools: null, mcp_servers: null },
    permission_denials: null,
    outputs,
    warnings: [
      `a recorded session, not performed by Whetstone: ${session.file}`,
      ...(unread.count === 0
        ? []
        : [`${unread.count} of its ${session.records} records were not read (${unread.first})`]),
    ],
  }
  const error = explainNoEnd(events)
  if (error === null) return { status: 'completed', ...shared }
  return { status: 'failed', error: { kind: 'bad_output', message: error }, ...shared }
}

/** undefined: the person wrote only once. The answer to a message is the agent's last text before the next one; '' if there is none. */
export function readSessionTurns(events: readonly TranscriptEvent[]): ConversationRecord | undefined {
  const turns: ConversationRecord['turns'] = []
  for (const event of events) {
    if (event.type === 'user') turns.push({ prompt: event.text, answer: '', step: event.step })
    const last = turns.at(-1)
    if (last === undefined || event.type === 'user' || event.type === 'result') continue
    last.step = event.step
    if (event.type === 'assistant') last.answer = event.text
  }
  return turns.length > 1 ? { turns, ended: 'all_delivered' } : undefined
}

/** Why the session says nothing about the agent: no answer, or a failure of the provider at its end. null: it does. */
function explainNoEnd(events: readonly TranscriptEvent[]): string | null {
  const last = events.findLast((event) => isWork(event) || isFailure(event))
  if (!events.some(isWork)) return 'the session has no answer'
  return last === undefined || isWork(last)
    ? null
    : 'the session ended with an error of the provider or the agent program'
}

function isWork({ type }: TranscriptEvent): boolean {
  return type === 'assistant' || type === 'tool_call'
}

/** Ends of the agent's own or of the person, as opencode and Codex record them as errors. */
const ownEnd = /aborted|output ?length|context (?:window|length)|ran out of room/i

function isFailure(event: TranscriptEvent): boolean {
  if (event.type === 'error') return !ownEnd.test(`${event.kind} ${event.message}`)
  return event.type === 'system' && event.subtype === 'api_error'
}
