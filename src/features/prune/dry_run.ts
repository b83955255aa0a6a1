/** prune --dry-run: the units, the runs and what they cost. Starts nothing that costs, and writes nothing. */
import { existsSync } from 'node:fs'
import { type Prune, type PrunePlan, pruneReport, type SkillUnit } from '../../../schemas/prune.ts'
import { refuseUnauthorized } from '../../flows/authorize/suite_commands.ts'
import { estimateSessionUnits } from '../../flows/estimate/estimate_session.ts'
import type { FlowContext } from '../../flows/flow_context.ts'
import type { SessionForecast } from '../../flows/improve/dry_run.ts'
import { noLimits } from '../../flows/limits/limits.ts'
import { refuseUnwritableWorkspace } from '../../flows/prepare/check_start.ts'
import { assertUnlocked } from '../../flows/workspace/benchmark_lock.ts'
import { tryReadArtefact } from '../../store/artefacts/damage.ts'
import type { PruneRequest } from './open_prune.ts'
import { checkPruneStart, openPrune, roundUp } from './open_prune.ts'
import { dropPower, nonInferiorityRuns, screeningRuns } from './stats/screening_power.ts'

export interface PruneForecast
  extends Pick<
    SessionForecast,
    'skill' | 'suite' | 'workspace' | 'engine' | 'judge' | 'split' | 'commands' | 'confined' | 'concurrency'
  > {
  units: SkillUnit[]
  plan: PrunePlan
  estimate: { usd: number | null; seconds: number | null; screening_usd: number | null; from_runs: number }
  /** What other sizes would take. `usd` null: not known. */
  prices: { detect: number; screening_runs: number; dropped_wrongly: number; usd: number | null }[]
  margins: { margin: number; certification_runs: number; usd: number | null }[]
  /** Its sentence, if it has ended already; then nothing is left to run. */
  ended: string | null
}

const shownDetects = [0.2, 0.15, 0.05]
const shownMargins = [0.05, 0.1, 0.15]

/** Throws UserError or IncompleteError as the real start would. */
export async function forecastPrune(request: PruneRequest, context: FlowContext): Promise<PruneForecast> {
  const { bench } = request
  const remote = bench.remote?.withoutWait() ?? null
  const { session, review } = await openPrune({ ...request, bench: { ...bench, remote } }, context)
  const { skill, suite, workspace, split, units, plan } = session
  refuseUnwritableWorkspace(workspace)
  if (existsSync(workspace)) await assertUnlocked(workspace)
  refuseUnauthorized(review, context)
  const prepared = await checkPruneStart(session, { ...context, emit: () => {} })
  const { engine, judge } = prepared.plan.options
  const found = await estimateSessionUnits({
    ...{ plan: prepared.plan, workspace, proposer: engine, limits: bench.limits ?? noLimits },
    ...{ certificationGradings: 1, confirmOn: [], prices: context.prices },
  })
  const price = (runs: number) => (found.run.usd === null ? null : runs * found.run.usd)
  const runs = plan.screening_runs + plan.certification_runs
  const ended: Prune | null = tryReadArtefact(pruneReport, session.paths.result)
  return {
    skill: { name: skill.name, path: skill.path },
    ...{ suite: suite.path, workspace, engine, judge, split, units, plan, concurrency: bench.concurrency },
    estimate: {
      usd: price(runs),
      seconds: found.run.seconds === null ? null : (runs * found.run.seconds) / bench.concurrency,
      screening_usd: price(plan.screening_runs),
      from_runs: found.from_runs,
    },
    prices: shownDetects.map((detect) => {
      const needed = roundUp(screeningRuns(plan.units, detect), plan.variants)
      const wrongly = dropPower(plan.screening_runs, { units: plan.units, detect: plan.detect - detect })
      return { detect, screening_runs: needed, dropped_wrongly: Number(wrongly.toFixed(4)), usd: price(needed) }
    }),
    margins: shownMargins.map((margin) => {
      const needed = roundUp(nonInferiorityRuns(margin), 2 * split.held_out.length)
      return { margin, certification_runs: needed, usd: price(needed) }
    }),
    commands: review.commands,
    confined: review.confinement.sandbox.mechanism !== 'none',
    ended: ended?.ended_at ? ended.sentence : null,
  }
}
