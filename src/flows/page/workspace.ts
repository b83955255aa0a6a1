/** What the workspace of a benchmark holds besides: the improve loop's history with its scores, trigger measurements, a trend. */
import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import type { z } from 'zod'
import { type Benchmark, benchmark as benchmarkSchema } from '../../../schemas/benchmark.ts'
import { description as descriptionSchema } from '../../../schemas/description.ts'
import { type History, history as historySchema } from '../../../schemas/history.ts'
import type { PageExtras, PageScore } from '../../../schemas/page.ts'
import { trend as trendSchema } from '../../../schemas/trend.ts'
import { triggers as triggersSchema } from '../../../schemas/triggers.ts'
import { armsOf } from '../../phases/4-report/arms.ts'
import { clip } from '../../phases/4-report/stats/interval.ts'
import { usualOptions } from '../../phases/4-report/stats/options.ts'
import { pairedT } from '../../phases/4-report/stats/paired_t.ts'
import { collectionFolder, isTimestampName } from '../../store/paths.ts'
import { known } from './known.ts'
import { readLoose } from './read_detail.ts'

type Extras = Pick<PageExtras, 'history' | 'scores' | 'triggers' | 'description' | 'trend'>

/** `only`: the measurement of triggers to show; null: the newest. */
export function workspaceExtras(workspace: string, only: string | null = null): Extras {
  const history = known(historySchema, path.join(workspace, 'history.json'))
  const scores = history !== null && 'value' in history ? scoresOf(workspace, history.value) : {}
  const triggers = newest(triggersSchema, collectionFolder(workspace, 'triggers'), { file: 'triggers.json', only })
  if (only !== null) return triggers === null ? {} : { triggers }
  const tried = { file: 'description.json', only: null }
  const description = newest(descriptionSchema, collectionFolder(workspace, 'descriptions'), tried)
  const trend = known(trendSchema, trendFile(workspace))
  return {
    ...(history && { history }),
    ...(Object.keys(scores).length > 0 && { scores }),
    ...(triggers && { triggers }),
    ...(description && { description }),
    ...(trend && { trend }),
  }
}

/** One that has no result yet is passed over. */
function newest<S extends z.ZodType>(schema: S, folder: string, { file, only }: { file: string; only: string | null }) {
  const names = existsSync(folder) ? readdirSync(folder).filter(isTimestampName) : []
  const newestFirst = names.sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))
  for (const name of only === null ? newestFirst : [only]) {
    const found = known(schema, path.join(folder, name, file))
    if (found !== null) return found
  }
  return null
}

/** `view --trend` writes it into the folder that it was asked for. */
function trendFile(workspace: string): string {
  const places = [workspace, path.join(workspace, 'benchmarks')].map((folder) => path.join(folder, 'trend.json'))
  return places.find((file) => existsSync(file)) ?? ''
}

/** Of each version that has benchmarks, in each part of the cases; by version. */
function scoresOf(workspace: string, { iterations }: History): Record<string, PageScore[]> {
  const found = iterations.map(({ version, benchmarks = {} }) => {
    const own = (['train', 'validation'] as const).flatMap((part) => {
      const folder = benchmarks[part]
      const file = folder === undefined ? null : inside(workspace, folder)
      const score = file === null ? null : scoreIn(readLoose(path.join(file, 'benchmark.json')))
      return score === null ? [] : [{ part, ...score }]
    })
    return [version, own] as const
  })
  return Object.fromEntries(found.filter(([, own]) => own.length > 0))
}

/** null: it leads out of the workspace. */
function inside(workspace: string, folder: string): string | null {
  const file = path.resolve(workspace, folder)
  return file.startsWith(`${workspace}${path.sep}`) ? file : null
}

/** The arm under test: its mean over cases, and the interval of cases like these. */
function scoreIn(value: unknown): Omit<PageScore, 'part'> | null {
  const parsed = benchmarkSchema.safeParse(value)
  if (!parsed.success) return null
  const rates = ratesOf(parsed.data)
  if (rates.length === 0) return null
  const rate = rates.reduce((sum, one) => sum + one, 0) / rates.length
  const interval = pairedT(rates, usualOptions.alpha)
  // where nothing varies, the interval has no width and says nothing
  const isSaying = interval !== null && interval.standardError > 0
  const { low, high } = isSaying ? clip(interval, [0, 1]) : { low: null, high: null }
  return { rate, ci_low: low, ci_high: high, n_cases: rates.length }
}

function ratesOf(benchmark: Benchmark): number[] {
  const { candidate } = armsOf(benchmark)
  return (benchmark.cases ?? []).flatMap(({ arms }) =>
    candidate === null ? [] : (arms[candidate]?.pass_rate?.mean ?? []),
  )
}
