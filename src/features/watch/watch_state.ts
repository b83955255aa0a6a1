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
import { followLevel } from '../../phases/4-report/trend/level_evidence.ts'
import { timestampName, type watchPaths } from '../../store/paths.ts'
import { isSignedFile, writeSigned } from '../../store/signing/signed_files.ts'
import type { ResultSigner } from '../../store/signing/signer.ts'
import { watchHtml } from './watch_page.ts'

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

/** The evidence of all nights, computed from their runs. */
export function assessNights(baseline: WatchBaseline, watch: Watch, nights: readonly RawNight[]): Watch {
  const steps = nights.map(({ runs, left_out, dismissed }) => ({
    runs: left_out === undefined ? runs : [],
    restarts: dismissed === true,
  }))
  const found = followLevel(baseline.runs, steps, {
    limit: watch.quiet_nights,
    detect: watch.detect,
    direction: 'fall',
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
