/** Writes the results of another tool, which a feature reads, as a folder of gradings, which `aggregate` reads like any other. */
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { UserError } from '../../base/errors/error.ts'
import { tempSiblingName } from '../../base/fs/durable_files.ts'
import { pathExists } from '../../base/fs/files.ts'
import { jsonText } from '../../base/json/json_text.ts'
import { suggestChoice } from '../../base/text/did_you_mean.ts'
import { slug } from '../../phases/1-plan/skill/slug.ts'

export interface ImportedRun {
  case: string
  /** Without separators of paths: it names a folder. */
  configuration: string
  prompt: string | null
  /** null: the source has no verdict on it. */
  verdict: ImportedVerdict | null
  seconds: number | null
  tokens: number | null
  costUsd: number | null
}

export interface ImportedVerdict {
  /** What was decided, such as the name of the column. */
  text: string
  /** 0 to 1. */
  score: number
  evidence: string
  /** Tests behind the score; they do not count by themselves. */
  tests: readonly { text: string; passed: boolean }[]
}

/** Which fields of the source hold what, as `--columns` names them; several are joined. */
export type Columns = Partial<Record<ColumnUse, string[]>>

export const columnUses = ['case', 'configuration', 'score', 'seconds', 'tokens', 'cost'] as const
type ColumnUse = (typeof columnUses)[number]

/** Reads a file or folder with results of one tool. Throws UserError for what is not of it. */
type ReadResults = (place: string, columns: Columns) => Promise<ImportedRun[]>

/** By the name for --from; loaded when it is named. */
export const resultFormats: Record<string, () => Promise<ReadResults>> = {}

/** Adds those of features; again changes nothing. */
export function addResultFormats(more: Readonly<typeof resultFormats>): void {
  Object.assign(resultFormats, more)
}

export interface ImportRequest {
  /** A name of the table. */
  from: string
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
  const read = await resultFormats[from]?.()
  if (read === undefined)
    throw new UserError(`--from "${from}": unknown`, suggestChoice(from, Object.keys(resultFormats)))
  const sources: { name: string; runs: ImportedRun[] }[] = []
  for (const place of places) {
    const runs = await read(place, columns)
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
