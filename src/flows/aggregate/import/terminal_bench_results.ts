/** Reads runs of Terminal-Bench: results.json, and run_metadata.json beside it (terminal_bench/harness/models.py). */
import path from 'node:path'
import * as z from 'zod'
import { pathExists } from '../../../base/fs/files.ts'
import { readJson } from '../../../base/json/json.ts'
import { configurationName, type ImportedRun, type ImportedVerdict, secondsBetween } from './imported_run.ts'
import { findResultFiles } from './result_files.ts'

const trial = z.looseObject({
  trial_name: z.string(),
  task_id: z.string(),
  instruction: z.string().nullish(),
  is_resolved: z.boolean().nullish(),
  failure_mode: z.string().nullish(),
  parser_results: z.record(z.string(), z.string()).nullish(),
  total_input_tokens: z.number().nullish(),
  total_output_tokens: z.number().nullish(),
  agent_started_at: z.string().nullish(),
  agent_ended_at: z.string().nullish(),
})
const whole = z.looseObject({ results: z.array(trial) })
const metadata = z.looseObject({ agent_name: z.string().nullish(), model_name: z.string().nullish() })

/** Ends of the agent's own: such a trial counts as failed even without a verdict. */
const ownEnds = ['agent_timeout', 'context_length_exceeded', 'output_length_exceeded']

export async function readTerminalBenchResults(place: string): Promise<ImportedRun[]> {
  const files = await findResultFiles(
    place,
    /(?:^|\/)results\.json$/,
    "a run's folder of Terminal-Bench, with results.json",
  )
  const runs: ImportedRun[] = []
  for (const file of files) {
    const read = await readJson(z.union([whole, trial]), file)
    // beside the whole, each trial has a results.json with the same content
    if (!('results' in read)) continue
    const beside = path.join(path.dirname(file), 'run_metadata.json')
    const known = (await pathExists(beside)) ? await readJson(metadata, beside) : null
    const names = known === null ? [path.basename(path.dirname(file))] : [known.agent_name, known.model_name]
    runs.push(...(read as z.infer<typeof whole>).results.map((one) => toRun(one, configurationName(names))))
  }
  return runs
}

function toRun(read: z.infer<typeof trial>, configuration: string): ImportedRun {
  return {
    case: read.task_id,
    configuration,
    prompt: read.instruction ?? null,
    verdict: toVerdict(read),
    seconds: secondsBetween(read.agent_started_at, read.agent_ended_at),
    tokens: read.total_input_tokens == null ? null : read.total_input_tokens + (read.total_output_tokens ?? 0),
    costUsd: null,
  }
}

function toVerdict(read: z.infer<typeof trial>): ImportedVerdict | null {
  const mode = read.failure_mode ?? 'unset'
  const isOwnEnd = ownEnds.includes(mode)
  if (read.is_resolved == null && !isOwnEnd) return null
  const tests = Object.entries(read.parser_results ?? {}).map(([text, status]) => ({
    text,
    passed: status === 'passed',
  }))
  const evidence = ['unset', 'none'].includes(mode) ? read.trial_name : `${read.trial_name}, ${mode}`
  return { text: 'resolved', score: read.is_resolved === true ? 1 : 0, evidence, tests }
}
