/** The kept baseline and nights of a watch: read, computed again from the runs, written. */
import { existsSync } from 'node:fs'
import { mkdir, rename } from 'node:fs/promises'
import path from 'node:path'
import {
  watchBaseline as baselineSchema,
  type Watch,
  type WatchBaseline,
  type WatchedNight,
  watchFile as watchSchema,
} from '../../../schemas/watch.ts'
import { UserError } from '../../base/errors/error.ts'
import { writeAtomic } from '../../base/fs/durable_files.ts'
import { readJson } from '../../base/json/json.ts'
import { makeVisible } from '../../base/text/show_control_characters.ts'
import { followLevel, type LevelSettings } from '../../phases/4-report/diff/level_evidence.ts'
import { tablesHtml } from '../../phases/4-report/page/tables_page.ts'
import { timestampName } from '../../store/paths.ts'
import type { ResultSigner } from '../../store/signing/signer.ts'
import { isSignedFile, writeSigned } from '../../store/signing/signer.ts'
import { watchAbout, watchHeadline, watchTable } from './watch_text.ts'

/** Without --quiet-nights and --detect. */
export const usualWatch = { quietNights: 730, detect: 0.15 }

export type WatchPaths = ReturnType<typeof watchPaths>

export interface KeptWatch {
  baseline: WatchBaseline
  watch: Watch
  /** Whether this user signed both. */
  isOwn: boolean
}

/** Throws UserError: nights are compared with a baseline only if this user ran both. */
export function refuseForeignWatch({ isOwn }: KeptWatch, { baseline }: WatchPaths): void {
  if (isOwn) return
  throw new UserError(
    `${baseline}: no signature of yours`,
    'run a new baseline with --rebaseline; in CI, set WHETSTONE_SIGNING_KEY in all jobs',
  )
}

/** null: there is no baseline yet. Throws UserError for a damaged file. */
export async function readWatch(paths: WatchPaths, signer: ResultSigner): Promise<KeptWatch | null> {
  if (!existsSync(paths.baseline)) return null
  try {
    const baseline = await readJson(baselineSchema, paths.baseline)
    const watch = existsSync(paths.watch) ? await readJson(watchSchema, paths.watch) : null
    const isOwn = isSignedFile(paths.baseline, signer) && (watch === null || isSignedFile(paths.watch, signer))
    return { baseline, watch: watch ?? startWatch(usualWatch), isOwn }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    const folder = path.relative(process.cwd(), paths.folder) || '.'
    throw new UserError(error.message, `restore the file, or move ${folder} away to run a new baseline`)
  }
}

export function startWatch({ quietNights, detect }: typeof usualWatch): Watch {
  return { schema_version: 1, quiet_nights: quietNights, detect, status: 'quiet', since: null, nights: [] }
}

/** A night as it ran, before its evidence. */
export type RawNight = Omit<WatchedNight, 'level' | 'expected' | 'p_value' | 'e_value' | 'evidence' | 'alarm'>

/**
 * Nights of a provider vary, for weeks too: a quarter of the fall that is looked for is no evidence, and three nights are the fewest that
 * alarm at the usual limit (simulated: test/features/watch/watch.nightly.test.ts).
 */
export function levelSettings({ limit, detect }: { limit: number; detect: number }): Omit<LevelSettings, 'seed'> {
  return { limit, detect, direction: 'fall', tolerance: detect / 4, mostPerStep: 15 }
}

/** The evidence of all nights, computed from their runs. */
export function assessNights(baseline: WatchBaseline, watch: Watch, nights: readonly RawNight[]): Watch {
  const steps = nights.map(({ runs, left_out, dismissed }) => ({
    runs: left_out === undefined ? runs : [],
    restarts: dismissed === true,
  }))
  const found = followLevel(baseline.runs, steps, {
    ...levelSettings({ limit: watch.quiet_nights, detect: watch.detect }),
    seed: baseline.seed,
  })
  const assessed = nights.flatMap((night, at): WatchedNight[] => {
    const one = found[at]
    if (one === undefined) return []
    const { level, expected, p_value, e_value, evidence, isAlarm } = one
    return [{ ...night, level, expected, p_value, e_value, evidence, alarm: isAlarm }]
  })
  const last = found.at(-1)
  const isAlarm = last?.isAlarm === true && nights.at(-1)?.dismissed !== true
  return {
    ...watch,
    status: isAlarm ? 'alarm' : 'quiet',
    since: isAlarm && last.since !== null ? last.since + 1 : null,
    nights: assessed,
  }
}

export async function writeWatch(
  paths: WatchPaths,
  { baseline, watch, signer }: Omit<KeptWatch, 'isOwn'> & { signer: ResultSigner },
): Promise<void> {
  await writeSigned(watchSchema, { file: paths.watch }, { value: watch, signer })
  await writeAtomic(paths.page, watchHtml(baseline, watch))
}

/** Moves baseline and nights into a folder of their own. */
export async function archiveWatch(paths: WatchPaths, now: Date): Promise<void> {
  if (!existsSync(paths.baseline)) return
  const folder = path.join(paths.earlier, timestampName(now))
  await mkdir(folder, { recursive: true })
  // the baseline last: without it the nights count for nothing
  for (const file of [paths.page, paths.watch, paths.baseline]) {
    if (existsSync(file)) await rename(file, path.join(folder, path.basename(file)))
  }
}

export function watchHtml(baseline: WatchBaseline, watch: Watch): string {
  return tablesHtml({
    title: `Watch of ${makeVisible(baseline.of.skill.name)}`,
    headline: watchHeadline(baseline, watch),
    notes: [watchAbout(baseline, watch)],
    charts: watch.nights.length === 0 ? [] : [levelChart(watch), evidenceChart(watch)],
    sections: [{ title: 'Nights', ...watchTable(watch) }],
  })
}

const size = { width: 720, height: 220, left: 58, right: 12, top: 12, bottom: 28 }

function levelChart({ nights }: Watch) {
  const marks = nights.flatMap(({ level, alarm }, at) => {
    if (level === null) return []
    return `<circle class="dot${alarm ? '' : ' open'}" cx="${x(at, nights.length)}" cy="${y(level)}" r="4"/>`
  })
  const expected = nights.flatMap(({ expected: share }, at) =>
    share === null ? [] : `${x(at, nights.length)} ${y(share)}`,
  )
  const grid = [0, 0.25, 0.5, 0.75, 1].map((share) => line(y(share), `${share * 100}%`, 'grid'))
  const body = [...grid, linePath(expected), ...marks, ...nightLabels(nights.length)].join('')
  return {
    title: 'Level by night',
    svg: draw(body, 'Pass rate by night, and what was expected'),
    hint: 'A dot is the pass rate of the night’s runs, filled if it alarmed. The line is what earlier runs of the same cases let expect.',
  }
}

/** On a logarithmic scale from 0.1 to the limit. */
function evidenceChart({ nights, quiet_nights: limit }: Watch) {
  const [low, high] = [-1, Math.log10(limit)]
  const at = (evidence: number) => y((Math.min(high, Math.max(low, Math.log10(evidence))) - low) / (high - low))
  const steps = [0.1, 1, 10, 100, 1000].filter((one) => one < limit / 2)
  const grid = [...steps.map((one) => line(at(one), String(one), 'grid')), line(at(limit), String(limit), 'zero')]
  const points = nights.map(({ evidence }, night) => `${x(night, nights.length)} ${at(evidence)}`)
  const dots = nights.map(
    ({ evidence, alarm }, night) =>
      `<circle class="dot${alarm ? '' : ' open'}" cx="${x(night, nights.length)}" cy="${at(evidence)}" r="3"/>`,
  )
  return {
    title: 'Evidence that the level fell',
    svg: draw([...grid, linePath(points), ...dots, ...nightLabels(nights.length)].join(''), 'Evidence by night'),
    hint: `It alarms at the upper line, ${limit}. A night as expected lowers it; one that is lower multiplies it.`,
  }
}

function draw(body: string, label: string): string {
  return `<svg class="trend" viewBox="0 0 ${size.width} ${size.height}" role="img" aria-label="${label}">${body}</svg>`
}

function line(at: number, label: string, kind: string): string {
  return (
    `<path class="${kind}" d="M${size.left} ${at}H${size.width - size.right}"/>` +
    `<text x="${size.left - 6}" y="${at + 4}" text-anchor="end">${label}</text>`
  )
}

function linePath(points: readonly string[]): string {
  return points.length < 2 ? '' : `<path class="series" d="M${points.join('L')}"/>`
}

function nightLabels(nights: number): string[] {
  const every = Math.ceil(nights / 12)
  return Array.from({ length: nights }, (_, at) => at)
    .filter((at) => at % every === 0)
    .map((at) => `<text x="${x(at, nights)}" y="${size.height - 8}" text-anchor="middle">${at + 1}</text>`)
}

function x(at: number, nights: number): number {
  return round(size.left + ((size.width - size.left - size.right) * (at + 0.5)) / nights)
}

function y(share: number): number {
  return round(size.top + (1 - share) * (size.height - size.top - size.bottom))
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

/** The folder of a watch and its files, absolute. `name`: of engine and model. */
export function watchPaths(workspace: string, name: string) {
  const folder = path.join(workspace, 'watch', name)
  return {
    folder,
    baseline: path.join(folder, 'baseline.json'),
    watch: path.join(folder, 'watch.json'),
    page: path.join(folder, 'watch.html'),
    /** Baselines and nights before a --rebaseline, by when they were replaced. */
    earlier: path.join(folder, 'earlier'),
  }
}
