/** improve --dry-run: what a session would run, cost and show. Starts nothing that costs, and writes nothing. */
import path from 'node:path'
import type { SessionPlan, Split } from '../../../schemas/history/session.ts'
import type { EngineChoice } from '../../../schemas/plan.ts'
import type { SuiteCommand } from '../../../schemas/suite_command.ts'
import { pathExists } from '../../base/fs/files.ts'
import { sumKnown } from '../../base/totals.ts'
import { judgeName } from '../../engines/models/judge_choice.ts'
import { resolveEngineChoice } from '../../engines/models/resolve_model.ts'
import { readSkill } from '../../phases/1-plan/skill/read_skill.ts'
import { certificationPower, runsForPower } from '../../phases/4-report/acceptance/certify.ts'
import { formatPlural } from '../../phases/4-report/text/format.ts'
import type { SessionRuns } from '../../phases/5-improve/search/plan_session.ts'
import { estimateSessionUnits, type SessionUnits } from '../estimate/estimate_session.ts'
import type { FlowContext } from '../flow_context.ts'
import type { ResourceUsage } from '../history/forecast.ts'
import { type BudgetUnit, noLimits, toBudgetAmounts } from '../limits/limits.ts'
import { refuseUnwritableWorkspace } from '../prepare/check_start.ts'
import { resolveSkillFolder, resolveSkillWorkspace } from '../prepare/prepare_bench.ts'
import { assertUnlocked } from '../workspace/benchmark_lock.ts'
import { type CertifyJudge, certifyJudgeText, gradingsPerRun } from './certify/certify_judge.ts'
import { countProposals, type ImproveRequest } from './improve_request.ts'
import { prepareSession, type SessionCrew } from './prepare_session.ts'
import { openSession } from './session/open_session.ts'
import type { ImproveSession } from './session/session.ts'
import { costSlack, leastCertificationRuns, settleEarlierCosts } from './session_budget.ts'

/** What a session has still to do, at most. */
export interface SessionWork extends SessionRuns {
  proposals: number
  /** Only after a win. */
  confirmations: { engine: string; runs: number }[]
}

export interface SessionEstimate {
  /** Runs and proposals together, without confirmations. */
  usd: number | null
  /** Wall time at this concurrency. */
  seconds: number | null
  search_usd: number | null
  certification_usd: number | null
  proposals_usd: number | null
  confirmations: { engine: string; usd: number | null; seconds: number | null }[]
  from_runs: number
  from_proposals: number
}

export interface SessionForecast {
  skill: { name: string; path: string }
  suite: string
  workspace: string
  resumed: boolean
  engine: EngineChoice
  judge: EngineChoice | null
  proposer: EngineChoice
  certification: { kind: CertifyJudge['kind']; judge: string | null; text: string }
  split: Split
  plan: SessionPlan
  left: SessionWork
  concurrency: number
  estimate: SessionEstimate
  /** null: no budget. `certification_runs` null: not known. */
  budget: { usd: number | null; tokens: number | null; certification_runs: number | null } | null
  /** Chance that the certification shows a true gain; empty: it is decided. */
  power: SessionPlan['power']
  /** Why it is not worthwhile, and what would be; null: it is. */
  advice: string | null
  commands: SuiteCommand[]
  /** False: the commands would run without a sandbox. */
  confined: boolean
  notes: string[]
}

/** Throws UserError or IncompleteError as the real start would, for the same reasons. `ended`: the session in the workspace has ended. */
export async function forecastSession(
  request: ImproveRequest,
  context: FlowContext,
): Promise<SessionForecast | { ended: string; workspace: string }> {
  const { skill } = await readSkill(await resolveSkillFolder(path.resolve(request.skill)), request.bench.links)
  const workspace = resolveSkillWorkspace(request.bench, skill)
  refuseUnwritableWorkspace(workspace)
  if (await pathExists(workspace)) await assertUnlocked(workspace)
  const bench = { ...request.bench, remote: request.bench.remote?.withoutWait() ?? null }
  const notes: string[] = []
  const emit: FlowContext['emit'] = (event) => void (event.type === 'improve_step' && notes.push(event.message))
  const quiet = { ...context, emit }
  const opened = await openSession({ ...request, bench }, { skill, workspace, isDryRun: true }, quiet)
  if ('ended' in opened) {
    const { certification, stopped } = opened.ended
    return { ended: certification?.sentence ?? stopped?.message ?? 'no better version', workspace }
  }
  const { session, review } = opened
  await settleEarlierCosts(session)
  const crew = await prepareSession(session, quiet)
  const { commands, confinement } = review
  const certifier = certifyJudgeText(crew.certifier)
  return {
    ...(await forecast(session, crew, context.prices)),
    commands,
    confined: confinement.sandbox.mechanism !== 'none',
    notes: notes.filter((one) => one !== certifier),
  }
}

async function forecast(
  session: ImproveSession,
  crew: SessionCrew,
  prices: FlowContext['prices'],
): Promise<Omit<SessionForecast, 'commands' | 'confined' | 'notes'>> {
  const { request, skill, suite, workspace, split, plan, isNew } = session
  const { certifier, judge, proposer, sandbox, suitePlan } = crew
  const left = listWork(session)
  const units = await estimateSessionUnits({
    ...{ plan: suitePlan, workspace, proposer, limits: request.bench.limits ?? noLimits, prices },
    certificationGradings: gradingsPerRun(certifier),
    confirmOn: left.confirmations.map(({ engine }) => {
      return { name: engine, choice: resolveEngineChoice({ engine, model: null }) }
    }),
  })
  const budget = forecastBudget(session, left, units)
  const runs = budget?.certification_runs ?? left.certification_runs
  const { proposals: perRound } = countProposals(request)
  const proposersAtOnce = sandbox.mechanism === 'none' ? 1 : Math.min(perRound, request.bench.concurrency)
  return {
    skill: { name: skill.name, path: skill.path },
    suite: suite.path,
    ...{ workspace, resumed: !isNew, engine: suitePlan.options.engine, judge, proposer },
    certification: {
      kind: certifier.kind,
      judge: certifier.kind === 'code' || certifier.choice === null ? null : judgeName(certifier.choice),
      text: certifyJudgeText(certifier),
    },
    ...{ split, plan, left, concurrency: request.bench.concurrency, budget },
    estimate: estimateWork(left, units, {
      concurrency: request.bench.concurrency,
      turnsPerRound: Math.ceil(perRound / proposersAtOnce),
    }),
    power: left.certification_runs === 0 ? [] : certificationPower(runs).power,
    advice: left.certification_runs === 0 ? null : findAdvice({ runs, plan, units, session }),
  }
}

/** A round under way counts as not yet begun. */
function listWork({ history, plan, request }: ImproveSession): SessionWork {
  const done = history.rounds ?? []
  const used = done.reduce((sum, one) => sum + one.runs, 0)
  const rounds = history.ending === undefined ? Math.max(0, plan.rounds - done.length) : 0
  const certification = history.certification ?? null
  const certificationRuns = history.ending?.certification_runs ?? plan.certification_runs
  const confirmed = new Set((history.confirmations ?? []).map(({ engine }) => engine))
  const open = request.confirmOn.filter((engine) => !confirmed.has(engine))
  const isLost = certification !== null && certification.result !== 'won'
  return {
    rounds,
    proposals: rounds * countProposals(request).proposals,
    search_runs: rounds === 0 ? 0 : Math.max(0, plan.search_runs - used),
    certification_runs: certification === null ? certificationRuns : 0,
    confirmations: isLost ? [] : open.map((engine) => ({ engine, runs: certificationRuns })),
  }
}

function estimateWork(
  left: SessionWork,
  units: SessionUnits,
  { concurrency, turnsPerRound }: { concurrency: number; turnsPerRound: number },
): SessionEstimate {
  const { run, certification_run, proposal, confirmation_runs } = units
  const search = times(run.usd, left.search_runs)
  const certification = times(certification_run.usd, left.certification_runs)
  const proposals = times(proposal.usd, left.proposals)
  const runSeconds = times(run.seconds, (left.search_runs + left.certification_runs) / concurrency)
  return {
    usd: sumKnown([search, certification, proposals]),
    seconds: sumKnown([runSeconds, times(proposal.seconds, left.rounds * turnsPerRound)]),
    ...{ search_usd: search, certification_usd: certification, proposals_usd: proposals },
    confirmations: left.confirmations.map(({ engine, runs }) => {
      const unit = confirmation_runs.find((one) => one.engine === engine)?.unit
      return {
        engine,
        usd: times(unit?.usd ?? null, runs),
        seconds: times(unit?.seconds ?? null, runs / concurrency),
      }
    }),
    from_runs: units.from_runs,
    from_proposals: units.from_proposals,
  }
}

/** The certification runs that half of the budget pays, or what is left of it. */
function forecastBudget(
  { request, budgets, history }: ImproveSession,
  { certification_runs: planned }: SessionWork,
  units: SessionUnits,
): SessionForecast['budget'] {
  if (budgets.units.length === 0) return null
  const { budget, budgetTokens } = request.bench.limits ?? noLimits
  const isSearchOver = history.ending !== undefined
  const paid = budgets.units.map((unit) => {
    const limit = (unit === 'usd' ? budget : budgetTokens) ?? 0
    const part = isSearchOver ? budgets.left(unit) : Math.min(limit / 2, budgets.left(unit))
    const each = unitCost(units.certification_run, unit)
    return each === null ? null : each === 0 ? planned : Math.max(0, Math.floor(part / (costSlack * each) + 1e-9))
  })
  const known = paid.filter((one) => one !== null)
  const runs = known.length < paid.length ? null : Math.min(planned, ...known)
  return { usd: budget, tokens: budgetTokens, certification_runs: runs }
}

function unitCost({ usd, tokens }: ResourceUsage, unit: BudgetUnit): number | null {
  const known = unit === 'usd' ? usd : tokens
  return known === null ? null : toBudgetAmounts({ usd, tokens }, { costPerRun: null })[unit]
}

/** The gain that a session should be able to show, and the chance below which it is not worthwhile. */
const wanted = { gain: 0.2, chance: 0.5, good: 0.8 }

function findAdvice({
  runs,
  plan,
  units,
  session: { budgets, isNew },
}: {
  runs: number
  plan: SessionPlan
  units: SessionUnits
  session: Pick<ImproveSession, 'budgets' | 'isNew'>
}): string | null {
  const chance = certificationPower(runs).power.find(({ gain }) => gain === wanted.gain)?.power ?? 0
  if (chance >= wanted.chance && runs >= leastCertificationRuns) return null
  const needed = [wanted.chance, wanted.good].map((power) => runsForPower(wanted.gain, power))
  const [least = 0] = needed
  const ways = [
    ...(plan.certification_runs < least ? [`--total-runs ${2 * least}`] : []),
    ...budgets.units.flatMap((unit) => {
      const each = unitCost(units.certification_run, unit)
      if (each === null || runs >= plan.certification_runs) return []
      const amount = 2 * costSlack * each * least
      return unit === 'usd'
        ? [`--budget ${(Math.ceil(100 * amount - 1e-6) / 100).toFixed(2)}`]
        : [`--budget-tokens ${Math.ceil(amount)}`]
    }),
  ]
  const other = isNew ? '' : ' in another session'
  const remedy = ways.length === 0 ? '' : `; ${ways.join(' and ')}${other} would show it in half of the sessions`
  const percent = Math.round(100 * chance)
  return `Don't bother: ${formatPlural(runs, 'certification run')} show a true gain of 20 points in ${percent}% of the sessions${remedy}`
}

function times(amount: number | null, count: number): number | null {
  return count === 0 ? 0 : amount === null ? null : amount * count
}
