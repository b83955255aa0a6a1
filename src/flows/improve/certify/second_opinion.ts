/** What the judge of the search says about the certification's runs: where it disagrees with the judge that decided. */
import path from 'node:path'
import pLimit from 'p-limit'
import type { Certification } from '../../../../schemas/history/certification.ts'
import type { EngineChoice } from '../../../../schemas/plan.ts'
import { chooseSandbox, noSandboxWish } from '../../../base/sandbox/choose.ts'
import { judgeName } from '../../../engines/models/judge_choice.ts'
import { sampleMean } from '../../../phases/4-report/stats/numbers/moments.ts'
import { scoreExpectations } from '../../../phases/4-report/stats/scores/scored_runs.ts'
import { noteSpent } from '../../../store/artefacts/spending_log.ts'
import { readPlan, readRun } from '../../../store/store.ts'
import type { FlowContext } from '../../flow_context.ts'
import { readGradingUsage } from '../../history/usage.ts'
import { computeGrading } from '../../judge/grade_stored_run.ts'
import { noLimits, toBudgetAmounts } from '../../limits/limits.ts'
import { openAccountLimiters } from '../../limits/rate_limiters.ts'
import { listBenchmarkHiddenPaths } from '../../sandbox/start_sandbox.ts'
import type { ImproveSession } from '../session/session.ts'

type Disagreement = NonNullable<Certification['judge']['disagreement']>

/** Grades in memory: the benchmark keeps the verdicts that decided. null: no run could be graded. */
export async function compareJudges(
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
