/** Decides the session: the version that the search found against v0, once, on the held-out cases. */
import type { Certification } from '../../../../schemas/history/certification.ts'
import type { Iteration } from '../../../../schemas/history.ts'
import type { EngineChoice } from '../../../../schemas/plan.ts'
import { judgeName } from '../../../engines/models/judge_choice.ts'
import { certify } from '../../../phases/4-report/acceptance/certify.ts'
import { compareHeldOut, formatGain } from '../../../phases/4-report/acceptance/compare_held_out.ts'
import { pairCases } from '../../../phases/4-report/acceptance/compared_case.ts'
import { createSeededRandom } from '../../../phases/4-report/stats/distributions/seeded_random.ts'
import { missingRunsText } from '../../../phases/4-report/stats/scopes/missing_grades.ts'
import { formatPlural } from '../../../phases/4-report/text/format.ts'
import { takeTurns } from '../../../phases/5-improve/search/draw_mixes.ts'
import { dividePairs } from '../../../phases/5-improve/search/plan_session.ts'
import type { FlowContext } from '../../flow_context.ts'
import type { BenchStepResult } from '../../versions/bench_versions.ts'
import type { ImproveBenchStep } from '../bench_step.ts'
import { runBenchStep } from '../bench_step.ts'
import { emitImproveStep, type ImproveSession, recordProgress } from '../session/session.ts'
import { type CertifyJudge, keepChecked } from './certify_judge.ts'
import { compareJudges } from './second_opinion.ts'

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
  if (one.version === 'v0') return { ...shared, expectation_pass_rate: made.v0.mean, rate_of: 'held_out' }
  if (one.version !== made.best) return shared
  const rate = { expectation_pass_rate: made.candidate.mean, rate_of: 'held_out' as const }
  return { ...shared, ...rate, grading_result: made.result }
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
  { best, runs, settings }: { best: string; runs: number; settings?: ImproveBenchStep['settings'] },
): ImproveBenchStep {
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
