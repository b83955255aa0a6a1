/** Reads what a benchmark's workspace has besides: the improve history, trigger measurements, a trend. */
import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import type * as z from 'zod'
import { description as descriptionSchema } from '../../../../schemas/description.ts'
import { history as historySchema } from '../../../../schemas/history.ts'
import type { PageExtras } from '../../../../schemas/page.ts'
import { trend as trendSchema } from '../../../../schemas/trend.ts'
import { triggers as triggersSchema } from '../../../../schemas/triggers.ts'
import { showTrendPoint } from '../../../phases/4-report/trend/trend_text.ts'
import { collectionFolder, isTimestampName } from '../../../store/paths.ts'
import { parseOrRaw } from './parse_or_raw.ts'

type Extras = Pick<PageExtras, 'history' | 'triggers' | 'description' | 'trend' | 'trend_shown'>

/** `only`: the trigger measurement to show; null: the newest. */
export function readWorkspaceExtras(workspace: string, only: string | null = null): Extras {
  const history = parseOrRaw(historySchema, path.join(workspace, 'history.json'))
  const triggers = readNewest(triggersSchema, collectionFolder(workspace, 'triggers'), { file: 'triggers.json', only })
  if (only !== null) return triggers === null ? {} : { triggers }
  const tried = { file: 'description.json', only: null }
  const description = readNewest(descriptionSchema, collectionFolder(workspace, 'descriptions'), tried)
  const trend = parseOrRaw(trendSchema, trendFile(workspace))
  return {
    ...(history && { history }),
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
