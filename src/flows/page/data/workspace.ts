/** Reads what a benchmark's workspace has besides: the improve history, trigger measurements, a trend. */
import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import type * as z from 'zod'
import { description as descriptionSchema } from '../../../../schemas/description.ts'
import { history as historySchema } from '../../../../schemas/history.ts'
import type { PageExtras } from '../../../../schemas/page.ts'
import { pruneReport } from '../../../../schemas/prune.ts'
import { trend as trendSchema } from '../../../../schemas/trend.ts'
import { type TriggerMatrix, triggerMatrix as triggerMatrixSchema } from '../../../../schemas/trigger_matrix.ts'
import { triggers as triggersSchema } from '../../../../schemas/triggers.ts'
import { attempt } from '../../../base/errors/attempt.ts'
import { showTrendPoint } from '../../../phases/4-report/text/format.ts'
import { benchmarkPaths, collectionFolder, isTimestampName, prunesFolder } from '../../../store/paths.ts'
import { auditWorkspace } from '../../labels/judge_decisions.ts'
import { parseOrRaw } from '../run_detail.ts'

type Extras = Pick<
  PageExtras,
  'history' | 'triggers' | 'trigger_matrix' | 'description' | 'prune' | 'trend' | 'trend_shown'
>

/** The workspace of a benchmark folder. Other tools keep history.json next to the runs, or next to the iterations. */
export function pageWorkspace(folder: string): string {
  const places = existsSync(benchmarkPaths(folder).plan) ? [] : [folder, path.dirname(folder)]
  return places.find((one) => existsSync(path.join(one, 'history.json'))) ?? auditWorkspace(folder)
}

/** `only`: the trigger measurement to show; null: the newest. */
export function readWorkspaceExtras(workspace: string, only: string | null = null): Extras {
  const history = parseOrRaw(historySchema, path.join(workspace, 'history.json'))
  const measured = readMeasurements(workspace, only)
  if (only !== null) return measured
  const tried = { file: 'description.json', only: null }
  const description = readNewest(descriptionSchema, collectionFolder(workspace, 'descriptions'), tried)
  const prune = readNewestPrune(workspace)
  const trend = parseOrRaw(trendSchema, trendFile(workspace))
  return {
    ...(history && { history }),
    ...measured,
    ...(description && { description }),
    ...(prune && { prune }),
    ...(trend && { trend }),
    ...(trend && 'value' in trend && { trend_shown: trend.value.points.map(showTrendPoint) }),
  }
}

export function listEntryNames(folder: string, recursive = false): string[] {
  return attempt(() => readdirSync(folder, { recursive, encoding: 'utf8' }), [])
}

/** One folder has the result of one skill or of many. */
function readMeasurements(workspace: string, only: string | null): Pick<Extras, 'triggers' | 'trigger_matrix'> {
  const folder = collectionFolder(workspace, 'triggers')
  const triggers = readNewest(triggersSchema, folder, { file: 'triggers.json', only })
  const trigger_matrix = readNewest(triggerMatrixSchema, folder, { file: 'trigger_matrix.json', only })
  const shown =
    trigger_matrix && ('value' in trigger_matrix ? { value: withoutPaths(trigger_matrix.value) } : trigger_matrix)
  return { ...(triggers && { triggers }), ...(shown && { trigger_matrix: shown }) }
}

/** A shared page says nothing of the folders of this machine. */
function withoutPaths(matrix: TriggerMatrix): TriggerMatrix {
  const shorten = (place: string) => (path.isAbsolute(place) ? path.basename(place) : place)
  const skills = matrix.skills.map((one) => ({ ...one, set: one.set && shorten(one.set) }))
  return { ...matrix, skills_folder: shorten(matrix.skills_folder), skills }
}

/** Their folders are named by their settings, so the newest is that which started last. */
function readNewestPrune(workspace: string) {
  const folder = prunesFolder(workspace)
  const found = listEntryNames(folder).flatMap(
    (name) => parseOrRaw(pruneReport, path.join(folder, name, 'prune.json')) ?? [],
  )
  const startOf = (one: (typeof found)[number]) => ('value' in one ? one.value.created_at : '')
  return found.sort((a, b) => startOf(b).localeCompare(startOf(a)))[0] ?? null
}

/** Skips measurements without a result. */
function readNewest<S extends z.ZodType>(schema: S, folder: string, one: { file: string; only: string | null }) {
  const names = listEntryNames(folder).filter(isTimestampName)
  const newestFirst = names.sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))
  for (const name of one.only === null ? newestFirst : [one.only]) {
    const found = parseOrRaw(schema, path.join(folder, name, one.file))
    if (found !== null) return found
  }
  return null
}

/** `view --trend` writes it into the folder that it gets. */
function trendFile(workspace: string): string {
  const places = [workspace, path.join(workspace, 'benchmarks')].map((folder) => path.join(folder, 'trend.json'))
  return places.find((file) => existsSync(file)) ?? ''
}
