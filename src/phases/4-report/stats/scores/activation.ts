/** How often runs read the skill, and how those runs score. Descriptive only, because reading is not randomised. */
import type { Statistics } from '../../../../../schemas/benchmark_statistics.ts'
import type { BenchmarkArms } from '../../benchmark/arms.ts'
import { sampleMean } from '../numbers/moments.ts'
import { round } from '../numbers/round.ts'
import type { ScoredCase } from './scored_runs.ts'

/** By arm, if it is known for some run. `cases`: with two arms those graded in both. */
export function summarizeActivation(cases: readonly ScoredCase[], arms: BenchmarkArms): Statistics['activation'] {
  const sides = [
    { name: arms.candidate, side: 'candidate' as const },
    { name: arms.baseline, side: 'baseline' as const },
  ]
  const rows = sides.flatMap(({ name, side }) => {
    const { read, known, denied } = countSkillReads(cases, side)
    if (name === null || known === 0) return []
    const when = side === 'candidate' ? liftWhenRead(cases) : null
    return [[name, { read, known, ...(denied > 0 && { denied }), difference_when_read: when }]]
  })
  return Object.fromEntries(rows)
}

function countSkillReads(
  cases: readonly ScoredCase[],
  side: 'candidate' | 'baseline',
): { read: number; known: number; denied: number } {
  let [read, known, denied] = [0, 0, 0]
  for (const { runs } of cases) {
    for (const { run } of runs[side]) {
      if (typeof run.result.skill_read === 'boolean') known += 1
      if (run.result.skill_read === true) read += 1
      else if (run.result.skill_denied) denied += 1
    }
  }
  return { read, known, denied }
}

/** Over the cases with a run that read the skill and a baseline run; null: none. */
function liftWhenRead(cases: readonly ScoredCase[]): number | null {
  const differences = cases.flatMap(({ runs, baseline }) => {
    const read = runs.candidate.filter(({ run }) => run.result.skill_read === true).map(({ share }) => share)
    return read.length === 0 || baseline.length === 0 ? [] : sampleMean(read) - sampleMean(baseline)
  })
  return differences.length === 0 ? null : round(sampleMean(differences), 6)
}
