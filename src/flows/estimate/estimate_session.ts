/** Estimates cost and duration of an improve session from earlier runs and proposals in the workspace. */
import path from 'node:path'
import type { EngineChoice, Plan } from '../../../schemas/plan.ts'
import type { UserPrices } from '../../../schemas/prices.ts'
import { listEntries } from '../../base/fs/files.ts'
import { meanOrNull, sumKnown } from '../../base/totals.ts'
import { improvePaths } from '../../store/paths.ts'
import { readRun } from '../../store/store.ts'
import {
  type CostPart,
  Forecast,
  priceRecord,
  type ResourceUsage,
  type RunStats,
  readHistory,
  readRunUsage,
  type UsageUnit,
} from '../history/forecast.ts'
import type { Limits } from '../limits/limits.ts'
import { addUsualUsage } from './usual_usage.ts'

export interface SessionUnits {
  /** A run with the skill and its grading. Tokens are those of both. */
  run: ResourceUsage
  /** Of the certification: with two judges, the second grading counted like the first. */
  certification_run: ResourceUsage
  confirmation_runs: { engine: string; unit: ResourceUsage }[]
  proposal: ResourceUsage
  /** Earlier runs and proposals that the estimate uses; 0: nothing is known. */
  from_runs: number
  from_proposals: number
}

export interface UnitsRequest {
  /** Over the suite: every case with the skill and without it. */
  plan: Plan
  workspace: string
  proposer: EngineChoice
  certificationGradings: number
  confirmOn: readonly { name: string; choice: EngineChoice }[]
  limits: Pick<Limits, 'costPerRun'>
  prices?: UserPrices | undefined
}

/** What a run of each kind and a proposal cost. */
export async function estimateSessionUnits(request: UnitsRequest): Promise<SessionUnits> {
  const { plan, workspace, certificationGradings: gradings, limits, confirmOn, prices } = request
  const history = await readHistory(workspace, plan, { prices })
  if (history.runs === 0) await addUsualUsage(history, plan, { ...limits, prices })
  const confirmers = confirmOn.map(async ({ name, choice }) => {
    const other = { ...plan, options: { ...plan.options, engine: choice } }
    const own = await readHistory(workspace, other, { prices })
    if (own.runs === 0) await addUsualUsage(own, other, { ...limits, prices })
    return { engine: name, unit: estimateRun(other, own, { gradings, ...limits }) }
  })
  const proposals = await readProposalUsages(request)
  return {
    run: estimateRun(plan, history, { gradings: 1, ...limits }),
    certification_run: estimateRun(plan, history, { gradings, ...limits }),
    confirmation_runs: await Promise.all(confirmers),
    proposal: {
      usd: meanOrNull(proposals.flatMap(({ usd }) => usd ?? [])) ?? limits.costPerRun,
      tokens: meanOrNull(proposals.flatMap(({ tokens }) => tokens ?? [])),
      seconds: meanOrNull(proposals.flatMap(({ seconds }) => seconds ?? [])),
    },
    from_runs: history.runs,
    from_proposals: proposals.length,
  }
}

/** The mean over the cases of a run with the skill and its gradings; --cost-per-run where a cost is unknown. */
function estimateRun(
  plan: Plan,
  history: RunStats,
  { gradings, costPerRun }: { gradings: number; costPerRun: number | null },
): ResourceUsage {
  const forecast = new Forecast(plan, history)
  const runs = plan.runs.filter(({ configuration }) => configuration === plan.candidate_configuration)
  const each = (part: CostPart, unit: UsageUnit) => {
    const assumed = unit === 'usd' ? costPerRun : null
    const sum = sumKnown(runs.map((spec) => forecast.of(part, spec, unit) ?? assumed))
    return sum === null ? null : sum / Math.max(1, runs.length)
  }
  const withGradings = (unit: UsageUnit) => {
    const [run, grading] = [each('run', unit), each('grading', unit)]
    return run === null || grading === null ? null : run + gradings * grading
  }
  return { usd: withGradings('usd'), tokens: withGradings('tokens'), seconds: each('run', 'seconds') }
}

/** Of completed proposals by this proposer in the workspace's newest session. */
async function readProposalUsages({
  workspace,
  proposer,
  prices,
}: Pick<UnitsRequest, 'workspace' | 'proposer' | 'prices'>): Promise<ResourceUsage[]> {
  const { proposals } = improvePaths(workspace)
  const names = listEntries(proposals).flatMap((one) => (/^\d+-\d+$/.test(one.name) ? [one.name] : []))
  const stored = await Promise.all(names.map((one) => readRun(path.resolve(proposals), one)))
  return stored.flatMap((one) => {
    if (one?.record.status !== 'completed') return []
    const { engine } = one.record
    if (engine.name !== proposer.name || engine.model !== proposer.model) return []
    return [readRunUsage(priceRecord(one.record, { engine: proposer }, prices))]
  })
}
