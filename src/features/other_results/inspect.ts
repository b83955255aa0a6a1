/** Reads logs of Inspect: a .json log, or an .eval archive of the same parts (inspect_ai/log/_log.py). */
import { readFile } from 'node:fs/promises'
import * as z from 'zod'
import { errorMessage, UserError } from '../../base/errors/error.ts'
import { checkAs, parseJson, readText } from '../../base/json/json.ts'
import { loadPeer } from '../../base/optional_dependency.ts'
import type { Columns, ImportedRun, ImportedVerdict } from '../../flows/aggregate/import_results.ts'
import { chooseScore, configurationName, findResultFiles, toScore } from './reading.ts'

const sample = z.looseObject({
  id: z.union([z.string(), z.number()]),
  epoch: z.number(),
  input: z.unknown(),
  scores: z.record(z.string(), z.looseObject({ value: z.unknown(), explanation: z.string().nullish() })).nullish(),
  error: z.looseObject({ message: z.string() }).nullish(),
  total_time: z.number().nullish(),
  model_usage: z.record(z.string(), z.looseObject({ total_tokens: z.number() })).nullish(),
})
const header = z.looseObject({ eval: z.looseObject({ task: z.string(), model: z.string() }) })
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
  return logs.flatMap(({ file, head, samples }) =>
    samples.map((one) => ({
      case: tasks.size > 1 ? `${head.eval.task}: ${one.id}` : String(one.id),
      configuration: configurationName([head.eval.model]),
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
  const { default: zip } = await loadPeer(() => import('jszip'), { by: file, names: ['jszip'] })
  const fix = `write it as JSON first: inspect log convert ${file} --to json --output-dir logs-json`
  try {
    const archive = await zip.loadAsync(await readFile(file))
    const read = async (name: string) =>
      parseJson((await archive.file(name)?.async('string')) ?? '', `${file}: ${name}`)
    const names = Object.keys(archive.files).filter((name) => /^samples\/.+\.json$/.test(name))
    const samples: Sample[] = []
    for (const name of names.sort()) samples.push(checkAs(sample, await read(name), `${file}: ${name}`))
    return { head: checkAs(header, await read('header.json'), `${file}: header.json`), samples }
  } catch (error) {
    if (error instanceof UserError) throw error
    throw new UserError(`${file}: can't be read as an archive (${errorMessage(error)})`, fix)
  }
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
