/** Decides the session: the version that the search found against v0, once, on the held-out cases. */
import path from 'node:path'
import pLimit from 'p-limit'
import type { Certification } from '../../../../schemas/history/certification.ts'
import type { Iteration } from '../../../../schemas/history.ts'
import type { EngineChoice } from '../../../../schemas/plan.ts'
import { chooseSandbox, noSandboxWish } from '../../../base/sandbox/choose.ts'
import { judgeName } from '../../../engines/models/judge_choice.ts'
import { certify } from '../../../phases/4-report/acceptance/certify.ts'
import { compareHeldOut, formatGain, pairCases } from '../../../phases/4-report/acceptance/compare_held_out.ts'
import { createSeededRandom } from '../../../phases/4-report/stats/distributions/seeded_random.ts'
import { sampleMean } from '../../../phases/4-report/stats/numbers/moments.ts'
import { missingRunsText } from '../../../phases/4-report/stats/scopes/missing_grades.ts'
import { scoreExpectations } from '../../../phases/4-report/stats/scores/scored_runs.ts'
import { formatPlural } from '../../../phases/4-report/text/format.ts'
import { takeTurns } from '../../../phases/5-improve/search/draw_mixes.ts'
import { dividePairs } from '../../../phases/5-improve/search/plan_session.ts'
import { noteSpent } from '../../../store/artefacts/spending_log.ts'
import { readPlan, readRun } from '../../../store/store.ts'
import type { FlowContext } from '../../flow_context.ts'
import { readGradingUsage } from '../../history/forecast.ts'
import { computeGrading } from '../../judge/grade_stored_run.ts'
import { noLimits, toBudgetAmounts } from '../../limits/limits.ts'
import { openAccountLimiters } from '../../limits/rate_limiters.ts'
import { listBenchmarkHiddenPaths } from '../../sandbox/start_sandbox.ts'
import type { BenchStepResult, VersionsStep } from '../../versions/bench_versions.ts'
import { compareRates, emitImproveStep, type ImproveSession, recordProgress, runBenchStep } from '../session/session.ts'
import { type CertifyJudge, keepChecked } from './certify_judge.ts'

export interface CertifyRequest {
  best: string
  runs: number
  certifier: CertifyJudge
  /** Of the search; null: checks decide everything. */
  judge: EngineChoice | null
}

/** Records the certification, and with it the best version. Throws StepStopped. */
export async function certifyBest(
  session: ImproveSession,
  { best, runs, certifier, judge }: CertifyRequest,
  context: FlowContext,
): Promise<Certification> {
  const { request } = session
  const message = `certification: ${best} against v0, in ${describeHeldOutRuns(session, { best, runs })}`
  emitImproveStep(context, { round: 0, step: 'certify', version: best, message })
  const { kind, choice } = certifier
  const made = await benchHeldOut(session, { best, runs, settings: judgeSettings(certifier) }, context)
  const isSecond = kind === 'second' && judge !== null
  const disagreement = isSecond ? await compareJudges(session, { folder: made.folder, judge }, context) : null
  const result = certify({
    ...{ benchmark: made.folder, best, cases: pairHeldOut(made, kind), goal: request.goal, margins: request.margins },
    missing: made.benchmark.statistics?.missing_grades,
    judge: {
      kind,
      name: kind === 'code' || choice === null ? null : judgeName(choice),
      ...(disagreement && { disagreement }),
    },
  })
  emitImproveStep(context, { round: 0, step: 'certified', version: best, message: result.sentence })
  const current_best = result.result === 'won' ? best : 'v0'
  const iterations = session.history.iterations.map((one) => withResult(one, result, current_best))
  await recordProgress(session, { certification: result, current_best, iterations })
  return result
}

/** "124 fresh runs on the 12 held-out cases", "14 fresh runs on 7 of the 9 held-out cases". */
function describeHeldOutRuns({ split }: ImproveSession, asked: Pick<CertifyRequest, 'best' | 'runs'>): string {
  const { cases } = heldOutStep(split.held_out, asked)
  const which = cases.length === split.held_out.length ? 'the' : `${cases.length} of the`
  return `${2 * Math.max(1, Math.floor(asked.runs / 2))} fresh runs on ${which} ${formatPlural(split.held_out.length, 'held-out case')}`
}

function judgeSettings({ kind, choice }: CertifyJudge): { judge?: string } {
  return kind === 'second' && choice !== null ? { judge: judgeName(choice) } : {}
}

function pairHeldOut({ benchmark }: BenchStepResult, kind: CertifyJudge['kind']) {
  const decided = kind === 'code' ? keepChecked(benchmark) : benchmark
  return pairCases(decided, { candidate: 'new_skill', baseline: 'old_skill' })
}

/** v0 and the certified version have the rates of the same runs. */
function withResult(one: Iteration, made: Certification, current: string): Iteration {
  const shared = { ...one, is_current_best: one.version === current }
  if (one.version === 'v0') return { ...shared, expectation_pass_rate: made.v0.mean }
  if (one.version !== made.best) return shared
  const [rate, before] = [made.candidate.mean, made.v0.mean]
  return { ...shared, expectation_pass_rate: rate, grading_result: compareRates(rate, before) }
}

/** Runs a certified version with other engines or models; none of them decides anything. Throws StepStopped. */
export async function confirmBest(
  session: ImproveSession,
  {
    best,
    runs,
    engines,
    certifier,
  }: Pick<CertifyRequest, 'best' | 'runs' | 'certifier'> & { engines: readonly string[] },
  context: FlowContext,
): Promise<void> {
  for (const engine of engines) {
    const { confirmations = [] } = session.history
    if (confirmations.some((one) => one.engine === engine)) continue
    const message = `${best} against v0 with ${engine}: ${describeHeldOutRuns(session, { best, runs })}`
    emitImproveStep(context, { round: 0, step: 'confirm', version: best, message })
    const settings = { ...judgeSettings(certifier), engine, model: null }
    const made = await benchHeldOut(session, { best, runs, settings }, context)
    const compared = compareHeldOut({ benchmark: made.folder, best, cases: pairHeldOut(made, certifier.kind) })
    const missing = made.benchmark.statistics?.missing_grades
    const isShown = compared.gain.ci_low !== null && compared.gain.ci_low > 0 && !missing
    const open = missing ? `; ${missingRunsText(missing, [`with ${best}`, 'with v0'])}` : ''
    const sentence = `${isShown ? 'The gain transfers' : 'The gain is not shown'} with ${engine}: ${formatGain(compared)}${open}.`
    emitImproveStep(context, { round: 0, step: 'confirm', version: best, message: sentence })
    await recordProgress(session, { confirmations: [...confirmations, { ...compared, engine, sentence }] })
  }
}

/** The step of `runs` runs. If they are too few for an equal number of pairs, the first cases get one more. */
export function heldOutStep(
  heldOut: readonly number[],
  { best, runs, settings }: { best: string; runs: number; settings?: VersionsStep['settings'] },
): VersionsStep {
  const pairsOf = dividePairs(heldOut, runs)
  return {
    ...{ candidate: best, against: 'v0', isSearch: false },
    cases: heldOut.filter((id) => (pairsOf.get(id) ?? 0) > 0),
    runs: Math.max(...pairsOf.values()),
    choose: ({ eval_id, run_number }, planned) => (run_number <= (pairsOf.get(eval_id) ?? 0) ? planned : null),
    ...(settings && { settings }),
  }
}

/** The order of the cases is random: their ids often follow their subject. Throws StepStopped. */
async function benchHeldOut(
  session: ImproveSession,
  asked: Parameters<typeof heldOutStep>[1],
  context: FlowContext,
): Promise<BenchStepResult> {
  const { held_out, seed } = session.split
  const cases = takeTurns(held_out, held_out.length, createSeededRandom(seed))
  return await runBenchStep(session, heldOutStep(cases, asked), context)
}

type Disagreement = NonNullable<Certification['judge']['disagreement']>

/** Grades in memory: the benchmark keeps the verdicts that decided. null: no run could be graded. */
async function compareJudges(
  session: ImproveSession,
  { folder: relative, judge }: { folder: string; judge: EngineChoice },
  context: FlowContext,
): Promise<Disagreement | null> {
  const { request, workspace, budgets } = session
  const folder = path.join(workspace, relative)
  const decided = await readPlan(folder)
  const plan = { ...decided, options: { ...decided.options, judge } }
  const sandbox = await chooseSandbox(request.bench.sandbox ?? noSandboxWish, context.env.PATH ?? '')
  using pace = openAccountLimiters(request.bench.pace, context)
  const shared = { plan, folder, sandbox, pace, again: true, cache: null, passEnv: request.bench.passEnv }
  const limit = pLimit(request.bench.concurrency)
  const grade = async (spec: (typeof plan.runs)[number]) => {
    const stored = await readRun(folder, spec.run_id)
    if (!stored?.grading || context.drain.aborted || budgets.findExceeded() !== null) return []
    const hidden = listBenchmarkHiddenPaths(plan, folder)
    const graded = await computeGrading({ ...shared, spec, stored, hidden }, context)
    if (graded === null) return []
    const { usd, tokens } = readGradingUsage(graded.grading)
    budgets.spend(toBudgetAmounts({ usd, tokens }, request.bench.limits ?? noLimits))
    // its verdicts are not stored, but its cost counts in the session and after a resume
    const { run_id } = spec
    noteSpent(folder, { run_id, part: 'grading', started_at: context.now().toISOString(), usd, tokens })
    return [{ spec, first: graded.grading.expectations, second: stored.grading.expectations }]
  }
  const gradings = (await Promise.all(plan.runs.map((spec) => limit(() => grade(spec))))).flat()
  const pairs = gradings.flatMap(({ first, second }) =>
    first.flatMap((one) => {
      const other = second.find(({ text }) => text === one.text)
      return one.decided_by === 'judge' && other?.decided_by === 'judge' ? [one.passed === other.passed] : []
    }),
  )
  if (pairs.length === 0) return null
  const rate = (configuration: string) => {
    const own = gradings.filter(({ spec }) => spec.configuration === configuration)
    const shares = own.flatMap(({ first }) => scoreExpectations(first, false)?.share ?? [])
    return shares.length === 0 ? null : sampleMean(shares)
  }
  const [after, before] = [rate(plan.candidate_configuration), rate(plan.baseline_configuration)]
  return {
    name: judgeName(judge),
    decisions: pairs.length,
    differ: pairs.filter((isSame) => !isSame).length,
    gain: after === null || before === null ? null : Math.round((after - before) * 1e6) / 1e6,
  }
}
