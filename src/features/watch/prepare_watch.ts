/** What a watch compares: skill, suite, engine, model, settings. Refuses, before anything is paid for, what could not be compared. */
import path from 'node:path'
import type { EngineChoice, Plan } from '../../../schemas/plan.ts'
import type { Watch, WatchBaseline, WatchSubject } from '../../../schemas/watch.ts'
import { UserError } from '../../base/errors/error.ts'
import { canonicalJson, sha256 } from '../../base/json/json.ts'
import { planBench } from '../../flows/bench/bench.ts'
import type { FlowContext } from '../../flows/flow_context.ts'
import type { BenchRequest } from '../../flows/prepare/prepare_bench.ts'
import { findSigner } from '../../store/signing/signer.ts'
import { listWatchedCases } from './night_plan.ts'
import type { WatchRequest } from './watch_request.ts'
import { readWatch, refuseForeignWatch, usualWatch, watchPaths } from './watch_state.ts'

/** Fewest cases: a level over fewer says little of a suite. */
const fewestCases = 5
/** The baseline has at least this many times the runs of a night. */
const fewestNightsInBaseline = 10
const fewestRunsPerNight = 4

/** Throws UserError for what can't be compared with the kept baseline, and for what could not find a fall. */
export async function prepareWatch(request: WatchRequest, context: FlowContext) {
  const place = await locateWatch(request, context)
  const { kept, subject, cases } = place
  const isNew = kept === null || request.rebaseline
  refuseShortNight(request)
  if (isNew) refuseSmall(request, cases.length)
  else {
    refuseForeignWatch(kept, place.paths)
    refuseChanged(kept.baseline, subject)
    refuseOtherRule(kept.watch, request)
  }
  const rule = {
    quietNights: request.quietNights ?? kept?.watch.quiet_nights ?? usualWatch.quietNights,
    detect: request.detect ?? kept?.watch.detect ?? usualWatch.detect,
  }
  return { ...place, rule }
}

/** The watch of this skill and engine; kept is null before its baseline. */
export async function locateWatch(request: WatchRequest, context: FlowContext) {
  const prepared = await planBench(createWatchBench(request, { runs: 1 }), context)
  const { plan, workspace } = prepared
  const paths = watchPaths(workspace, nameWatch(plan.options.engine))
  const subject = describeSubject(plan)
  const kept = await readWatch(paths, findSigner(context.env))
  return { prepared, paths, subject, cases: listWatchedCases(plan), kept }
}

export function createWatchBench(
  { skill, bench }: Pick<WatchRequest, 'skill' | 'bench'>,
  {
    runs,
    reshape,
    ...more
  }: Pick<BenchRequest, 'runs'> & { workspace?: string; fresh?: boolean; reshape?: (plan: Plan) => Plan },
): BenchRequest {
  return {
    fresh: false,
    ...bench,
    ...more,
    skill,
    baseline: null,
    cases: [],
    runs,
    cache: false,
    ...(reshape && { reshape: (plan: Plan) => ({ plan: reshape(plan), folders: new Map<string, string>() }) }),
  }
}

/** "claude-code-sonnet"; commands are told apart by a hash. */
function nameWatch({ name, model, command }: EngineChoice): string {
  const what = command === undefined ? (model ?? 'default') : sha256(command).slice(0, 8)
  return `${name}-${what}`.replaceAll(/[^\w.-]+/g, '-')
}

function describeSubject(plan: Plan): WatchSubject {
  const { engine, judge, runs: _, retries: __, ...settings } = plan.options
  const { name, sha256: version } = plan.skill
  return {
    skill: { name, sha256: version },
    suite_sha256: plan.suite.sha256,
    engine,
    judge,
    settings_sha256: sha256(canonicalJson(settings)),
  }
}

/** Throws UserError with the numbers that would do. */
function refuseSmall({ baselineRuns, runsPerNight }: WatchRequest, cases: number): void {
  if (cases < fewestCases)
    throw new UserError(
      `the suite has ${cases} cases that can be watched, fewer than ${fewestCases}`,
      `add ${fewestCases - cases} cases: whetstone init drafts some`,
    )
  const needed = Math.ceil((fewestNightsInBaseline * runsPerNight) / cases)
  if (baselineRuns < needed)
    throw new UserError(
      `--baseline-runs ${baselineRuns}: ${baselineRuns * cases} runs are too few to compare nights of ${runsPerNight} with`,
      `use --baseline-runs ${needed} or more, or fewer --runs-per-night`,
    )
}

function refuseShortNight({ runsPerNight }: WatchRequest): void {
  if (runsPerNight < fewestRunsPerNight)
    throw new UserError(
      `--runs-per-night ${runsPerNight}: too few to show a fall in time`,
      `use --runs-per-night ${fewestRunsPerNight} or more`,
    )
}

/** A limit chosen after nights were seen does not control the false alarms. */
function refuseOtherRule(watch: Watch, { quietNights, detect }: WatchRequest): void {
  const remedy = 'leave the flag out, or run a new baseline with --rebaseline'
  if (quietNights !== null && quietNights !== watch.quiet_nights)
    throw new UserError(`--quiet-nights ${quietNights}: the watch began with ${watch.quiet_nights}`, remedy)
  if (detect !== null && detect !== watch.detect)
    throw new UserError(`--detect ${toPoints(detect)}: the watch began with ${toPoints(watch.detect)}`, remedy)
}

function toPoints(share: number): number {
  return Number((100 * share).toPrecision(6))
}

const known = '--rebaseline runs a new baseline; the earlier one is kept in earlier/'

/** Throws UserError that names what changed. */
function refuseChanged({ of }: WatchBaseline, now: WatchSubject): void {
  const changes = [
    ...(of.skill.sha256 === now.skill.sha256
      ? []
      : [`the skill (${short(of.skill.sha256)}, now ${short(now.skill.sha256)})`]),
    ...(of.suite_sha256 === now.suite_sha256 ? [] : ['the suite']),
    ...(canonicalJson(of.engine) === canonicalJson(now.engine) ? [] : ["the engine's settings"]),
    ...(canonicalJson(of.judge) === canonicalJson(now.judge) ? [] : ['the judge']),
    ...(of.settings_sha256 === now.settings_sha256 ? [] : ['the settings of runs or judging']),
  ]
  if (changes.length === 0) return
  throw new UserError(`changed since the baseline: ${changes.join(', ')}`, known)
}

/** Throws UserError. */
export function refuseOtherModel(expected: string, found: string, folder: string): never {
  const message = `${path.relative(process.cwd(), folder) || '.'}: the runs report the model ${found}, those of the baseline ${expected}`
  throw new UserError(message, known)
}

function short(hash: string): string {
  return hash.slice(0, 12)
}
