/** Estimates cost and duration of an improve session from earlier runs and proposals in the workspace. */
import path from 'node:path'
import type { EngineChoice, Plan } from '../../../schemas/plan.ts'
import type { UserPrices } from '../../../schemas/prices.ts'
import { listEntries } from '../../base/fs/files.ts'
import { improvePaths } from '../../store/paths.ts'
import { readRun } from '../../store/store.ts'
import { priceRecord } from '../history/forecast.ts'
import { readRunUsage } from '../history/usage.ts'
import type { Limits } from '../limits/limits.ts'
import { estimateBench } from './estimate_bench.ts'

/** A run with the skill and its grading; null: not known. Tokens are those of both. */
export interface UnitCost {
  usd: number | null
  tokens: number | null
  seconds: number | null
}

export interface SessionUnits {
  run: UnitCost
  /** Of the certification: with two judges, the second grading counted like the first. */
  certification_run: UnitCost
  /** By engine. */
  confirmation_runs: { engine: string; unit: UnitCost }[]
  proposal: UnitCost
  /** Earlier runs and proposals that the estimate uses; 0: nothing is known. */
  from_runs: number
  from_proposals: number
}

export interface UnitsRequest {
  /** Over the suite: every case with the skill and without it. */
  plan: Plan
  workspace: string
  proposer: EngineChoice
  /** Gradings of a run of the certification. */
  certificationGradings: number
  confirmOn: readonly { name: string; choice: EngineChoice }[]
  limits: Pick<Limits, 'costPerRun'>
  /** The user's prices; absent: none. */
  prices?: UserPrices | undefined
}

/** What a run of each kind and a proposal cost. */
export async function estimateSessionUnits(request: UnitsRequest): Promise<SessionUnits> {
  const { plan, certificationGradings: gradings, limits, confirmOn } = request
  const search = await estimateRun(plan, request)
  const confirmers = confirmOn.map(async ({ name, choice }) => {
    const other = { ...plan, options: { ...plan.options, engine: choice } }
    return { engine: name, unit: sumUnit(await estimateRun(other, request), gradings) }
  })
  const proposals = await readProposalUsages(request)
  return {
    run: sumUnit(search, 1),
    certification_run: sumUnit(search, gradings),
    confirmation_runs: await Promise.all(confirmers),
    proposal: {
      usd: mean(proposals.map(({ usd }) => usd)) ?? limits.costPerRun,
      tokens: mean(proposals.map(({ tokens }) => tokens)),
      seconds: mean(proposals.map(({ seconds }) => seconds)),
    },
    from_runs: search.from,
    from_proposals: proposals.length,
  }
}

interface RunEstimate {
  run: UnitCost
  grading: Omit<UnitCost, 'seconds'>
  from: number
}

/** The mean over the cases, by a plan of the runs with the skill alone; --cost-per-run where a cost is unknown. */
async function estimateRun(
  plan: Plan,
  { workspace, limits: { costPerRun }, prices }: Pick<UnitsRequest, 'workspace' | 'limits' | 'prices'>,
): Promise<RunEstimate> {
  const runs = plan.runs.filter(({ configuration }) => configuration === plan.candidate_configuration)
  const nothing = { folder: null, reused: new Map<string, { graded: boolean }>(), again: new Set<string>() }
  const found = await estimateBench({ plan: { ...plan, runs }, workspace }, { ...nothing, concurrency: 1, prices })
  const { judge } = found
  const count = Math.max(1, runs.length)
  const [arm] = found.arms
  const each = (amount: number | null | undefined) => (amount === null || amount === undefined ? null : amount / count)
  const share = judge.gradings / count
  return {
    run: { usd: each(arm?.usd) ?? costPerRun, tokens: each(arm?.tokens), seconds: each(arm?.seconds) },
    grading: {
      usd: each(judge.usd) ?? (costPerRun === null ? null : costPerRun * share),
      tokens: each(judge.tokens),
    },
    from: found.from_runs,
  }
}

function sumUnit({ run, grading }: RunEstimate, gradings: number): UnitCost {
  const add = (own: number | null, more: number | null) =>
    own === null || more === null ? null : own + gradings * more
  return { usd: add(run.usd, grading.usd), tokens: add(run.tokens, grading.tokens), seconds: run.seconds }
}

/** Of completed proposals by this proposer in the workspace's newest session. */
async function readProposalUsages({
  workspace,
  proposer,
  prices,
}: Pick<UnitsRequest, 'workspace' | 'proposer' | 'prices'>): Promise<UnitCost[]> {
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

/** Of the known amounts; null: none is known. */
function mean(amounts: readonly (number | null)[]): number | null {
  const known = amounts.filter((one) => one !== null)
  return known.length === 0 ? null : known.reduce((sum, one) => sum + one, 0) / known.length
}
