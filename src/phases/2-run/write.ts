/** Writes what a run leaves in its folder: run.json, timing.json, metrics.json, transcript.md. */
import { writeFileSync } from 'node:fs'
import { readFile, rename } from 'node:fs/promises'
import path from 'node:path'
import type { Metrics } from '../../../schemas/metrics.ts'
import type { RunRecord } from '../../../schemas/run.ts'
import type { AttemptMark, Timing } from '../../../schemas/timing.ts'
import type { TranscriptEvent } from '../../../schemas/transcript.ts'
import type { Usage } from '../../../schemas/usage.ts'
import { countEvents, transcriptMarkdown } from './transcript.ts'

/** How files are written: `make` a new one, `over` what one holds that is there. */
export interface Writing {
  make: (file: string, text: string) => void
  over: (file: string, text: string) => void
}

const plainly: Writing = { make: writeFileSync, over: writeFileSync }

export interface RunFiles {
  folder: string
  record: RunRecord
  events: readonly TranscriptEvent[]
  prompt: string
  /** Lies in timing.json already, and stays there; absent: the run is made here. */
  mark?: AttemptMark | undefined
}

/** Writes the files, by plain writes where nothing else is given; gives the text of run.json. */
export async function writeRunFiles(files: RunFiles, write: Writing = plainly): Promise<string> {
  const { folder, record, events, prompt, mark } = files
  const markdown = transcriptMarkdown(prompt, events)
  write.make(path.join(folder, 'transcript.md'), markdown)
  await keepAgentsMetrics(folder, record)
  const metrics = await metricsOf(files, markdown.length)
  write.make(path.join(folder, 'outputs/metrics.json'), pretty(metrics))
  const text = pretty(record)
  write.make(path.join(folder, 'run.json'), text)
  const [times, timed] = [path.join(folder, 'timing.json'), timingOf(record)]
  if (mark === undefined) write.make(times, pretty(timed))
  else write.over(times, pretty({ ...timed, attempt: mark }))
  return text
}

/** An agent's own metrics.json, file or folder, gives way to ours and stays under another name, said in the record. */
async function keepAgentsMetrics(folder: string, record: RunRecord): Promise<void> {
  if (!record.outputs.files.some((file) => isAt(file.path, 'metrics.json'))) return
  await moveOutput('metrics.agent.json', 'metrics.agent.agent.json', { folder, record })
  await moveOutput('metrics.json', 'metrics.agent.json', { folder, record })
}

async function moveOutput(from: string, to: string, run: { folder: string; record: RunRecord }): Promise<void> {
  const moved = run.record.outputs.files.filter((file) => isAt(file.path, from))
  if (moved.length === 0) return
  for (const file of moved) file.path = `${to}${file.path.slice(from.length)}`
  await rename(path.join(run.folder, 'outputs', from), path.join(run.folder, 'outputs', to))
  run.record.warnings.push(`the agent's own ${from} is kept as ${to}`)
}

function isAt(name: string, top: string): boolean {
  return name === top || name.startsWith(`${top}/`)
}

async function metricsOf(files: RunFiles, transcriptChars: number): Promise<Metrics> {
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

/** Characters of a text file; 0 for one that is not UTF-8 text. */
async function textLength(file: string): Promise<number> {
  const bytes = await readFile(file)
  if (bytes.includes(0)) return 0
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes).length
  } catch {
    return 0
  }
}

function timingOf(record: RunRecord): Timing {
  const seconds = record.duration_ms / 1000
  return {
    ...(record.usage === null ? {} : { total_tokens: totalTokens(record.usage) }),
    duration_ms: record.duration_ms,
    total_duration_seconds: seconds,
    executor_start: record.started_at,
    executor_end: record.ended_at,
    executor_duration_seconds: seconds,
  }
}

/** Input + output + cache read + cache write; reasoning is part of output. */
function totalTokens(usage: Usage): number {
  return usage.input_tokens + usage.output_tokens + usage.cache_read_tokens + usage.cache_write_tokens
}

function pretty(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
