/** Runs versions without half of the units on the training cases, and estimates what each unit changes and costs. */
import type { Prune } from '../../../schemas/prune.ts'
import type { Skill } from '../../../schemas/suite.ts'
import { UserError } from '../../base/errors/error.ts'
import type { FlowContext } from '../../flows/flow_context.ts'
import type { BenchStepResult, VersionsPlace } from '../../flows/versions/bench_versions.ts'
import { benchVersions, type HalfOf, planHalves, StepStopped } from '../../flows/versions/bench_versions.ts'
import { readVersionFiles, writeVersionFiles } from '../../flows/versions/replace_skill.ts'
import { listSkillFiles, readSkill } from '../../phases/1-plan/skill/read_skill.ts'
import { createSeededRandom } from '../../phases/4-report/stats/distributions/seeded_random.ts'
import { clipInterval } from '../../phases/4-report/stats/numbers/describe.ts'
import { round } from '../../phases/4-report/stats/numbers/round.ts'
import { type ScoredRun, scoredCases } from '../../phases/4-report/stats/scores/scored_runs.ts'
import type { PruneSession } from './open_prune.ts'
import { decideUnit, screeningAlpha, type UnitVerdict } from './stats/screening_power.ts'
import { estimateUnitEffects, type ScreeningFit, type UnitEffect } from './stats/unit_effects.ts'
import { drawMasks, type ScreeningPair } from './units/draw_masks.ts'
import { leaveOut } from './units/leave_out.ts'

export interface Screening {
  shown: NonNullable<Prune['screening']>
  fit: ScreeningFit
  /** In the order of the units that runs leave out. */
  verdicts: UnitVerdict[]
  /** Of dollars if they are known, else of tokens. */
  cost: ScreeningFit | null
}

/** Throws StepStopped if a limit ends it before the end of its runs. */
export async function screenUnits(
  session: PruneSession,
  place: VersionsPlace,
  context: FlowContext,
): Promise<Screening> {
  const { free, plan, split, paths } = session
  const drawn = drawMasks(free.length, {
    cases: split.train,
    pairs: plan.screening_runs / 2,
    random: createSeededRandom(split.seed),
  })
  const versions = await writeVariants(session, drawn)
  const { step, halfOf } = planHalves(drawn, versions)
  const made = await benchVersions(place, { candidate: paths.full, against: paths.full, ...step }, context)
  const { stopped } = made.benchmark.metadata
  if (stopped !== undefined) throw new StepStopped(stopped.reason, stopped.kind)
  return estimateUnits(session, { made, halfOf, variants: versions.size })
}

/** The version of each half, by its mask. */
async function writeVariants(
  { free, paths }: PruneSession,
  drawn: readonly ScreeningPair[],
): Promise<Map<string, Skill>> {
  const files = await readVersionFiles((await listSkillFiles(paths.full)).files)
  const masks = new Map(drawn.flatMap(({ halves }) => halves.map((half) => [half.join(), half] as const)))
  const found = new Map<string, Skill>()
  for (const [at, [key, mask]] of [...masks].entries()) {
    const folder = paths.variant(at + 1)
    await writeVersionFiles(
      await leaveOut(
        files,
        free.filter((_, unit) => mask[unit] !== true),
      ),
      folder,
    )
    found.set(key, (await readSkill(folder)).skill)
  }
  return found
}

interface ScreenedBench {
  made: BenchStepResult
  halfOf: HalfOf<readonly boolean[]>
  variants: number
}

/** Throws UserError if so many runs have no grade that the units can't be told apart. */
function estimateUnits({ free, plan }: PruneSession, { made, halfOf, variants }: ScreenedBench): Screening {
  const { folder, benchmark } = made
  const scored = scoredCases(benchmark.runs, { candidate: 'new_skill', baseline: 'old_skill' })
  const all = scored.flatMap(({ evalId, runs }) =>
    [...runs.candidate, ...runs.baseline].map((run) => ({ evalId, run })),
  )
  const fitValues = (value: (run: ScoredRun) => number | null | undefined, least: number) => {
    const runs = all.flatMap(({ evalId, run }) => {
      const has = halfOf(run.run)
      const known = value(run) ?? null
      return has === undefined || known === null ? [] : [{ evalId, has, value: known }]
    })
    return estimateUnitEffects(runs, { units: free.length, alpha: screeningAlpha, least })
  }
  const fit = fitValues(({ share }) => share, 1 / 4)
  if (fit === null) {
    throw new UserError(
      `${folder}: ${all.length} of ${plan.screening_runs} runs have a grade, too few to tell ${free.length} units apart`,
      'fix what broke the others (whetstone explain), then start it again with another --seed',
    )
  }
  const tokens = fitValues(({ run }) => run.result.tokens, 0)
  const seconds = fitValues(({ run }) => run.result.time_seconds, 0)
  const usd = fitValues(({ run }) => run.result.cost_usd, 0)
  const verdicts = fit.effects.map((one) => decideUnit(one, { units: free.length, detect: plan.detect }))
  const shown = {
    ...{ benchmark: folder, runs: fit.runs, variants },
    pass_rate: round(fit.mean, 6),
    variance: round(fit.variance, 6),
    units: free.map(({ id }, at) => ({
      ...{ id, verdict: verdicts[at] ?? 'open' },
      effect: { ...toEstimate(fit.effects[at], [-1, 1]), ...pValues(fit.effects[at]) },
      tokens: tokens === null ? null : toEstimate(tokens.effects[at]),
      seconds: seconds === null ? null : toEstimate(seconds.effects[at]),
      usd: usd === null ? null : toEstimate(usd.effects[at]),
    })),
  }
  return { shown, fit, verdicts, cost: usd ?? tokens }
}

function toEstimate(effect: UnitEffect | undefined, range: readonly [number, number] = anyAmount) {
  const { mean = 0 } = effect ?? {}
  const { low, high } = clipInterval(effect ?? { low: 0, high: 0 }, range)
  return { mean: round(mean, 6), ci_low: round(low, 6), ci_high: round(high, 6) }
}

const anyAmount = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY] as const

function pValues(effect: UnitEffect | undefined) {
  const { pValue = 1, pAdjusted = 1 } = effect ?? {}
  return { p_value: round(pValue, 6), p_adjusted: round(pAdjusted, 6) }
}
