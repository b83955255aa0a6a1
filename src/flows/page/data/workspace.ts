/** Reads what a benchmark's workspace has besides: the improve history with its scores, trigger measurements, a trend. */
import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import type * as z from 'zod'
import { type Benchmark, benchmark as benchmarkSchema } from '../../../../schemas/benchmark.ts'
import { description as descriptionSchema } from '../../../../schemas/description.ts'
import { type History, history as historySchema } from '../../../../schemas/history.ts'
import type { PageExtras, PageScore } from '../../../../schemas/page.ts'
import { trend as trendSchema } from '../../../../schemas/trend.ts'
import { triggers as triggersSchema } from '../../../../schemas/triggers.ts'
import { findArms } from '../../../phases/4-report/benchmark/arms.ts'
import { clipInterval } from '../../../phases/4-report/stats/numbers/interval.ts'
import { usualOptions } from '../../../phases/4-report/stats/statistics_options.ts'
import { pairedT } from '../../../phases/4-report/stats/tests/paired_t.ts'
import { showTrendPoint } from '../../../phases/4-report/trend/trend_text.ts'
import { collectionFolder, isTimestampName } from '../../../store/paths.ts'
import { readLoose } from '../run_detail.ts'
import { parseOrRaw } from './parse_or_raw.ts'

type Extras = Pick<PageExtras, 'history' | 'scores' | 'triggers' | 'description' | 'trend' | 'trend_shown'>

/** `only`: the trigger measurement to show; null: the newest. */
export function readWorkspaceExtras(workspace: string, only: string | null = null): Extras {
  const history = parseOrRaw(historySchema, path.join(workspace, 'history.json'))
  const scores = history !== null && 'value' in history ? readScores(workspace, history.value) : {}
  const triggers = readNewest(triggersSchema, collectionFolder(workspace, 'triggers'), { file: 'triggers.json', only })
  if (only !== null) return triggers === null ? {} : { triggers }
  const tried = { file: 'description.json', only: null }
  const description = readNewest(descriptionSchema, collectionFolder(workspace, 'descriptions'), tried)
  const trend = parseOrRaw(trendSchema, trendFile(workspace))
  return {
    ...(history && { history }),
    ...(Object.keys(scores).length > 0 && { scores }),
    ...(triggers && { triggers }),
    ...(description && { description }),
    ...(trend && { trend }),
    ...(trend && 'value' in trend && { trend_shown: trend.value.points.map(showTrendPoint) }),
  }
}

/** Skips measurements without a result. */
function readNewest<S extends z.ZodType>(
  schema: S,
  folder: string,
  { file, only }: { file: string; only: string | null },
) {
  const names = existsSync(folder) ? readdirSync(folder).filter(isTimestampName) : []
  const newestFirst = names.sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))
  for (const name of only === null ? newestFirst : [only]) {
    const found = parseOrRaw(schema, path.join(folder, name, file))
    if (found !== null) return found
  }
  return null
}

/** `view --trend` writes it into the folder that it gets. */
function trendFile(workspace: string): string {
  const places = [workspace, path.join(workspace, 'benchmarks')].map((folder) => path.join(folder, 'trend.json'))
  return places.find((file) => existsSync(file)) ?? ''
}

function readScores(_workspace: string, _history: History): Record<string, PageScore[]> {
  return {}
}

/** null: the path leaves the workspace. */
function resolveInside(workspace: string, folder: string): string | null {
  const file = path.resolve(workspace, folder)
  return file.startsWith(`${workspace}${path.sep}`) ? file : null
}

/** The candidate's mean over cases, with the interval for similar cases. */
function parseScore(value: unknown): Omit<PageScore, 'part'> | null {
  const parsed = benchmarkSchema.safeParse(value)
  if (!parsed.success) return null
  const rates = caseRates(parsed.data)
  if (rates.length === 0) return null
  const rate = rates.reduce((sum, one) => sum + one, 0) / rates.length
  const interval = pairedT(rates, usualOptions.alpha)
  // without variation the interval has zero width and means nothing
  const isSaying = interval !== null && interval.standardError > 0
  const { low, high } = isSaying ? clipInterval(interval, [0, 1]) : { low: null, high: null }
  return { rate, ci_low: low, ci_high: high, n_cases: rates.length }
}

function caseRates(benchmark: Benchmark): number[] {
  const { candidate } = findArms(benchmark)
  return (benchmark.cases ?? []).flatMap(({ arms }) =>
    candidate === null ? [] : (arms[candidate]?.pass_rate?.mean ?? []),
  )
}
