/** How often the skill was read, and how runs that read it fare: a description, since nobody drew lots for reading. */
import type { Statistics } from '../../../../schemas/benchmark_statistics.ts'
import type { Arms } from '../arms.ts'
import { meanOf } from './moments.ts'
import { round } from './round.ts'
import type { ScoredCase } from './scored.ts'

/** By arm of which it is known for some run. */
export function activationOf(cases: readonly ScoredCase[], arms: Arms): Statistics['activation'] {
  const sides = [
    { name: arms.candidate, side: 'candidate' as const },
    { name: arms.baseline, side: 'baseline' as const },
  ]
  const rows = sides.flatMap(({ name, side }) => {
    const { read, known } = readIn(cases, side)
    if (name === null || known === 0) return []
    const when = side === 'candidate' ? whenRead(cases) : null
    return [[name, { read, known, difference_when_read: when }]]
  })
  return Object.fromEntries(rows)
}

function readIn(cases: readonly ScoredCase[], side: 'candidate' | 'baseline'): { read: number; known: number } {
  let [read, known] = [0, 0]
  for (const { runs } of cases) {
    for (const { run } of runs[side]) {
      if (typeof run.result.skill_read === 'boolean') known += 1
      if (run.result.skill_read === true) read += 1
    }
  }
  return { read, known }
}

/** Over the cases with a run that read the skill and a run of the baseline; null without any. */
function whenRead(cases: readonly ScoredCase[]): number | null {
  const differences = cases.flatMap(({ runs, baseline }) => {
    const read = runs.candidate.filter(({ run }) => run.result.skill_read === true).map(({ share }) => share)
    return read.length === 0 || baseline.length === 0 ? [] : meanOf(read) - meanOf(baseline)
  })
  return differences.length === 0 ? null : round(meanOf(differences), 6)
}
