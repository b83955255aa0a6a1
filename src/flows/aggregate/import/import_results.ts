/** Writes the results of another tool as a folder of gradings, which `aggregate` reads like any other. */
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import * as z from 'zod'
import { UserError } from '../../../base/errors/error.ts'
import { pathExists } from '../../../base/fs/files.ts'
import { tempSiblingName } from '../../../base/fs/temp_sibling.ts'
import { readJson } from '../../../base/json/json.ts'
import { jsonText } from '../../../base/json/json_text.ts'
import { suggestChoice } from '../../../base/text/did_you_mean.ts'
import { slug } from '../../../phases/1-plan/skill/slug.ts'
import { readCsvResults } from './csv_results.ts'
import { readHarborResults } from './harbor_results.ts'
import type { Columns, ImportedRun, ImportedVerdict } from './imported_run.ts'
import { configurationName, secondsBetween } from './imported_run.ts'
import { readInspectResults } from './inspect_results.ts'
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

async function readTerminalBenchResults(place: string): Promise<ImportedRun[]> {
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

const readers = {
  csv: readCsvResults,
  harbor: readHarborResults,
  inspect: readInspectResults,
  'terminal-bench': readTerminalBenchResults,
} as const

export interface ImportRequest {
  from: keyof typeof readers
  /** Files or folders with results. */
  places: readonly string[]
  columns: Columns
  /** The new folder. */
  target: string
  /** Names of configurations; null: not named. */
  candidate: string | null
  baseline: string | null
}

/** Writes only the two configurations that are compared. Throws UserError for results that can't be read, and if the two can't be told. */
export async function importResults(request: ImportRequest): Promise<void> {
  const { target } = request
  if (await pathExists(target)) throw new UserError(`--output ${target}: exists already`, 'name a new folder')
  const runs = await readImportedRuns(request)
  const names = [...new Set(runs.map(({ configuration }) => configuration))].sort()
  const chosen = chooseConfigurations(names, request)
  const kept = runs.filter(({ configuration }) => chosen.includes(configuration))
  const partial = tempSiblingName(target)
  try {
    await writeRuns(kept, partial)
    await mkdir(path.dirname(target), { recursive: true })
    await rename(partial, target)
  } finally {
    await rm(partial, { recursive: true, force: true })
  }
}

/** Of several places with one configuration each, the place's name tells them apart where the results do not. */
export async function readImportedRuns({
  from,
  places,
  columns,
}: Pick<ImportRequest, 'from' | 'places' | 'columns'>): Promise<ImportedRun[]> {
  const sources: { name: string; runs: ImportedRun[] }[] = []
  for (const place of places) {
    const runs = await readers[from](place, columns)
    if (runs.length === 0) throw new UserError(`${place}: no results in it`, `expected results of ${from}`)
    sources.push({ name: path.parse(path.resolve(place)).name, runs })
  }
  const shared = sources.some(({ runs }, index) =>
    sources
      .slice(0, index)
      .some((other) => other.runs.some((a) => runs.some((b) => a.configuration === b.configuration))),
  )
  if (!shared) return sources.flatMap(({ runs }) => runs)
  return sources.flatMap(({ name, runs }) => {
    const isOne = new Set(runs.map(({ configuration }) => configuration)).size === 1
    return runs.map((run) => ({ ...run, configuration: isOne ? name : `${name}+${run.configuration}` }))
  })
}

function chooseConfigurations(names: readonly string[], { candidate, baseline }: ImportRequest): readonly string[] {
  for (const [flag, name] of Object.entries({ candidate, baseline }))
    if (name !== null && !names.includes(name))
      throw new UserError(`--${flag}: unknown configuration "${name}"`, suggestChoice(name, names))
  if (names.length <= 2) return names
  if (candidate === null || baseline === null) {
    throw new UserError(
      `${names.length} configurations: ${names.join(', ')}`,
      'choose two: --candidate <name> --baseline <name>',
    )
  }
  return [candidate, baseline]
}

async function writeRuns(runs: readonly ImportedRun[], folder: string): Promise<void> {
  const cases = [...new Set(runs.map((run) => run.case))]
  for (const [index, name] of cases.entries()) {
    const own = runs.filter((run) => run.case === name)
    const place = path.join(folder, `eval-${index + 1}-${slug(name)}`)
    const prompt = own.find((run) => run.prompt !== null)?.prompt
    await writeJson(path.join(place, 'eval_metadata.json'), {
      eval_id: index + 1,
      eval_name: name,
      prompt: prompt ?? name,
    })
    for (const configuration of new Set(own.map((run) => run.configuration))) {
      const repeats = own.filter((run) => run.configuration === configuration)
      for (const [number, run] of repeats.entries())
        await writeRun(run, path.join(place, configuration, `run-${number + 1}`))
    }
  }
}

async function writeRun({ verdict, seconds, tokens, costUsd }: ImportedRun, folder: string): Promise<void> {
  const timing = {
    ...(seconds !== null && { total_duration_seconds: seconds }),
    ...(tokens !== null && { total_tokens: tokens }),
    ...(costUsd !== null && { total_cost_usd: costUsd }),
  }
  // without a grading the run counts as missing
  await writeJson(path.join(folder, 'timing.json'), timing)
  if (verdict === null) return
  const { text, score, evidence, tests } = verdict
  const isPart = score > 0 && score < 1
  const expectations = [
    { text, passed: score === 1, evidence, ...(isPart && { score }) },
    ...tests.map((test) => ({ ...test, evidence: '', diagnostic: true })),
  ]
  await writeJson(path.join(folder, 'grading.json'), { expectations })
}

async function writeJson(file: string, value: unknown): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true })
  await writeFile(file, `${jsonText(value, 2)}\n`)
}
