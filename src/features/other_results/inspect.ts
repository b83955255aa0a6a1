/** Reads logs of Inspect: a .json log, or an .eval archive of the same parts (inspect_ai/log/_log.py). */
import { readFile } from 'node:fs/promises'
import * as z from 'zod'
import { errorMessage, UserError } from '../../base/errors/error.ts'
import { readZip } from '../../base/fs/zip.ts'
import { checkAs, parseJson, readText } from '../../base/json/json.ts'
import type { Columns, ImportedRun, ImportedVerdict } from '../../flows/aggregate/import_results.ts'
import { chooseScore, configurationName, findResultFiles, toScore } from './reading.ts'

const sample = z.looseObject({
  id: z.union([z.string(), z.number()]),
  epoch: z.number(),
  input: z.unknown(),
  scores: z.record(z.string(), z.looseObject({ value: z.unknown(), explanation: z.string().nullish() })).nullish(),
  error: z.looseObject({ message: z.string() }).nullish(),
  total_time: z.number().nullish(),
  model_usage: z.record(z.string(), z.looseObject({ total_tokens: z.number().nonnegative() })).nullish(),
})
const settings = z.record(z.string(), z.unknown()).nullish()
const header = z.looseObject({
  eval: z.looseObject({
    ...{ task: z.string(), model: z.string(), task_args: settings, model_args: settings },
    ...{ solver: z.string().nullish(), solver_args: settings },
  }),
})
type Header = z.infer<typeof header>
type Sample = z.infer<typeof sample>

export async function readInspectResults(place: string, { score }: Columns): Promise<ImportedRun[]> {
  const files = await findResultFiles(
    place,
    /\.(?:eval|json)$/,
    'a log of Inspect (.json or .eval), or a folder of them',
  )
  const logs: { file: string; head: Header; samples: Sample[] }[] = []
  for (const file of files) logs.push({ file, ...(await (file.endsWith('.eval') ? readArchive(file) : readLog(file))) })
  const tasks = new Set(logs.map(({ head }) => head.eval.task))
  const differences = listDifferences(logs)
  return logs.flatMap(({ file, head, samples }, index) =>
    samples.map((one) => ({
      case: tasks.size > 1 ? `${head.eval.task}: ${one.id}` : String(one.id),
      configuration: configurationName([head.eval.model, ...(differences[index] ?? [])]),
      prompt: typeof one.input === 'string' ? one.input : null,
      verdict: toVerdict(one, file, score),
      seconds: one.total_time ?? null,
      tokens: one.model_usage ? Object.values(one.model_usage).reduce((sum, { total_tokens: n }) => sum + n, 0) : null,
      costUsd: null,
    })),
  )
}

async function readLog(file: string): Promise<{ head: Header; samples: Sample[] }> {
  const value = parseJson(await readText(file), file)
  const { samples } = checkAs(z.looseObject({ samples: z.array(sample).nullish() }), value, file)
  return { head: checkAs(header, value, file), samples: samples ?? [] }
}

async function readArchive(file: string): Promise<{ head: Header; samples: Sample[] }> {
  const fix = `write it as JSON first: inspect log convert ${file} --to json --output-dir logs-json`
  try {
    const entries = readZip(await readFile(file))
    const read = (name: string) => parseJson(entries.get(name)?.().toString('utf8') ?? '', `${file}: ${name}`)
    const names = [...entries.keys()].filter((name) => /^samples\/.+\.json$/.test(name)).sort()
    const samples = names.map((name) => checkAs(sample, read(name), `${file}: ${name}`))
    return { head: checkAs(header, read('header.json'), `${file}: header.json`), samples }
  } catch (error) {
    if (error instanceof UserError) throw error
    throw new UserError(`${file}: can't be read as an archive (${errorMessage(error)})`, fix)
  }
}

/** The settings in which logs of one task differ, as key=value for each log: they are configurations, such as -T skill=true and false. */
function listDifferences(logs: readonly { head: Header }[]): string[][] {
  const given = logs.map(({ head: { eval: one } }): Record<string, unknown> => {
    return { ...one.task_args, ...one.model_args, ...(one.solver && { solver: one.solver }), ...one.solver_args }
  })
  const taskOf = (index: number) => logs[index]?.head.eval.task
  const differs = (key: string) =>
    given.some((one, index) =>
      given.some(
        (other, at) => taskOf(at) === taskOf(index) && JSON.stringify(one[key]) !== JSON.stringify(other[key]),
      ),
    )
  const keys = [...new Set(given.flatMap((one) => Object.keys(one)))].filter(differs).sort()
  const show = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? 'default'))
  return given.map((one) => keys.map((key) => `${key}=${show(one[key])}`))
}

/** Inspect's own letters: correct, incorrect, partly correct, no answer. */
const letters: Record<string, number> = { C: 1, I: 0, P: 0.5, N: 0 }

function toVerdict(one: Sample, file: string, asked: string[] | undefined): ImportedVerdict | null {
  if (one.error) return null
  const scores = one.scores ?? {}
  const name = chooseScore(Object.keys(scores), { asked, file, preferred: null })
  const found = name === null ? undefined : scores[name]
  if (name === null || found === undefined) return null
  const { value, explanation } = found
  const score =
    typeof value === 'string' && value in letters ? (letters[value] ?? 0) : toScore(value, `${file}: sample ${one.id}`)
  return score === null ? null : { text: name, score, evidence: explanation ?? `sample ${one.id}`, tests: [] }
}
