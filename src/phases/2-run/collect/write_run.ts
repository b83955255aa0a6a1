/** Writes a run's files into its folder: run.json, timing.json, metrics.json, transcript.md. */
import { closeSync, ftruncateSync, openSync, writeFileSync } from 'node:fs'
import { readFile, rename } from 'node:fs/promises'
import path from 'node:path'
import type { Metrics } from '../../../../schemas/metrics.ts'
import type { RunRecord } from '../../../../schemas/run.ts'
import type { AttemptMark, Timing } from '../../../../schemas/timing.ts'
import type { TranscriptEvent } from '../../../../schemas/transcript.ts'
import { attempt } from '../../../base/errors/attempt.ts'
import { jsonText } from '../../../base/json/json_text.ts'
import { countTokens } from '../../../engines/models/cost.ts'
import { countEvents, transcriptMarkdown } from './transcript.ts'

export interface RunFolderFiles {
  folder: string
  record: RunRecord
  events: readonly TranscriptEvent[]
  prompt: string
  /** Already in timing.json, and kept there; absent: the run executes on this machine. */
  mark?: AttemptMark | undefined
}

export async function writeRunFiles(files: RunFolderFiles): Promise<void> {
  const { folder, record, events, prompt, mark } = files
  const markdown = transcriptMarkdown(prompt, events, record.conversation)
  writeFileSync(path.join(folder, 'transcript.md'), markdown)
  await keepAgentsMetrics(folder, record)
  writeFileSync(path.join(folder, 'outputs/metrics.json'), pretty(await buildMetrics(files, markdown.length)))
  writeFileSync(path.join(folder, 'run.json'), pretty(record))
  const [times, timed] = [path.join(folder, 'timing.json'), buildTiming(record)]
  if (mark === undefined) writeFileSync(times, pretty(timed))
  else overwrite(times, pretty({ ...timed, attempt: mark }))
}

/** Overwrites a file, a short text in one write: a killed process leaves the old or the new text. A deleted file stays deleted. */
function overwrite(file: string, text: string): void {
  const descriptor = openSync(file, 'r+')
  try {
    writeFileSync(descriptor, text)
    ftruncateSync(descriptor, Buffer.byteLength(text))
  } finally {
    closeSync(descriptor)
  }
}

/** Renames an agent's own metrics.json, file or folder, to keep it next to Whetstone's, and records that. */
async function keepAgentsMetrics(folder: string, record: RunRecord): Promise<void> {
  if (!record.outputs.files.some((file) => isAtOrInside(file.path, 'metrics.json'))) return
  await moveOutput('metrics.agent.json', 'metrics.agent.agent.json', { folder, record })
  await moveOutput('metrics.json', 'metrics.agent.json', { folder, record })
}

async function moveOutput(from: string, to: string, run: { folder: string; record: RunRecord }): Promise<void> {
  const moved = run.record.outputs.files.filter((file) => isAtOrInside(file.path, from))
  if (moved.length === 0) return
  for (const file of moved) file.path = `${to}${file.path.slice(from.length)}`
  await rename(path.join(run.folder, 'outputs', from), path.join(run.folder, 'outputs', to))
  run.record.warnings.push(`the agent's own ${from} is saved as ${to}`)
}

function isAtOrInside(name: string, top: string): boolean {
  return name === top || name.startsWith(`${top}/`)
}

async function buildMetrics(files: RunFolderFiles, transcriptChars: number): Promise<Metrics> {
  const counted = countEvents(files.events)
  const { outputs, loaded } = files.record
  const total = Object.values(counted.toolCalls).reduce((sum, count) => sum + count, 0)
  const chars = await Promise.all(
    outputs.files.map((file) => textLength(path.join(files.folder, 'outputs', file.path))),
  )
  return {
    tool_calls: counted.toolCalls,
    total_tool_calls: total,
    ...(loaded === null && total === 0 && { tools_shown: false }),
    total_steps: counted.steps,
    files_created: outputs.files.filter((file) => file.change === 'created').map((file) => file.path),
    errors_encountered: counted.errors,
    output_chars: chars.reduce((sum, count) => sum + count, 0),
    transcript_chars: transcriptChars,
  }
}

/** Characters of a text file; 0 if it is not UTF-8 text. */
async function textLength(file: string): Promise<number> {
  const bytes = await readFile(file)
  return bytes.includes(0) ? 0 : attempt(() => new TextDecoder('utf-8', { fatal: true }).decode(bytes).length, 0)
}

function buildTiming(record: RunRecord): Timing {
  const seconds = record.duration_ms / 1000
  return {
    ...(record.usage === null ? {} : { total_tokens: countTokens(record.usage) }),
    duration_ms: record.duration_ms,
    total_duration_seconds: seconds,
    ...{ grader_start: null, grader_end: null, grader_duration_seconds: null }, // until a grader ran
    executor_start: record.started_at,
    executor_end: record.ended_at,
    executor_duration_seconds: seconds,
  }
}

function pretty(value: unknown): string {
  return `${jsonText(value, 2)}\n`
}
