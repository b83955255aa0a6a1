/** What changed between two configurations: statements, and tests of a script or verifier, that occur in several cases. */
import type { Benchmark, BenchmarkRun } from '../../../../schemas/benchmark.ts'
import type { ChangedStatement } from '../../../../schemas/changed_statements.ts'
import type { PageSaid } from '../../../../schemas/page.ts'
import { verdictScore } from '../../../../schemas/pass_rate.ts'
import { meanOrNull, toGroups } from '../../../base/totals.ts'
import { round } from '../stats/numbers/round.ts'
import { classifyIndicator } from '../stats/scores/indicators.ts'
import { findArmSide, rulesApply } from '../stats/scores/scored_runs.ts'
import { formatRates } from '../text/format.ts'
import { type BenchmarkArms, describeCandidate, findArms, isCalibration } from './arms.ts'

interface Verdict extends Pick<ChangedStatement, 'kind' | 'text'> {
  evalId: number
  side: 'candidate' | 'baseline'
  score: number
}

/** A rate is the mean over the cases that have the statement in both configurations. */
export function listChangedStatements(benchmark: Benchmark): Pick<PageSaid, 'changed'> {
  const arms = findArms(benchmark)
  if (isCalibration(arms)) return {}
  const verdicts = benchmark.runs.flatMap((run) => listVerdicts(run, arms))
  const rows = [...toGroups(verdicts, ({ kind, text }) => `${kind} ${text}`).values()]
    .flatMap(compareVerdicts)
    .sort((a, b) => Math.abs(b.effect) - Math.abs(a.effect))
  return rows.length === 0 ? {} : { changed: { title: `What changed ${describeCandidate(arms)}`, rows } }
}

/** Without indicators, which only the candidate can meet. */
function listVerdicts(run: BenchmarkRun, arms: BenchmarkArms): Verdict[] {
  const side = findArmSide(run, arms)
  if (side === null) return []
  const counted = run.expectations.filter((one) => classifyIndicator(one, rulesApply(arms)) === null)
  const place = { evalId: run.eval_id, side }
  return counted.flatMap((one) => [
    { ...place, kind: 'statement' as const, text: one.text, score: verdictScore(one) },
    ...(one.tests ?? []).map(({ name, passed }) => ({
      ...place,
      kind: 'test' as const,
      text: name,
      score: passed ? 1 : 0,
    })),
  ])
}

/** Empty if fewer than two cases have it in both configurations. */
function compareVerdicts(verdicts: readonly Verdict[]): ChangedStatement[] {
  const cases = [...toGroups(verdicts, ({ evalId }) => evalId)].flatMap(([evalId, own]) => {
    const [candidate, baseline] = (['candidate', 'baseline'] as const).map((side) =>
      meanOrNull(own.flatMap((one) => (one.side === side ? one.score : []))),
    )
    return candidate == null || baseline == null ? [] : [{ evalId, candidate, baseline }]
  })
  const candidate = meanOrNull(cases.map((one) => one.candidate))
  const baseline = meanOrNull(cases.map((one) => one.baseline))
  const [first] = verdicts
  if (first === undefined || cases.length < 2 || candidate === null || baseline === null) return []
  const { kind, text } = first
  return [
    {
      kind,
      text,
      cases: cases.map(({ evalId }) => evalId),
      effect: round(candidate - baseline, 6),
      shown: formatRates(candidate, baseline),
    },
  ]
}
