/** Summarizes the comparisons on disk: for a benchmark, or for two folders in a separate file. */
import path from 'node:path'
import { type ComparisonSummary, comparisonSummary } from '../../../schemas/comparison_summary.ts'
import type { Plan } from '../../../schemas/plan.ts'
import { tallyComparisons } from '../../phases/4-report/judge/comparison_tally.ts'
import { readComparisons } from '../../store/artefacts/comparisons.ts'
import type { OnDamage } from '../../store/artefacts/damage.ts'
import { writeArtefact } from '../../store/store.ts'
import { caseFolder } from './case_folder.ts'
import type { Pairing } from './pairs.ts'

/** null: nothing was compared. Wins count for the candidate, whichever side it was on. */
export function summarizeComparisons(folder: string, plan: Plan, onDamage: OnDamage): ComparisonSummary | null {
  const planned = new Set(plan.runs.map((run) => run.eval_id))
  const found = plan.cases
    .filter((one) => planned.has(one.eval_id))
    .map(({ eval_id, eval_name }) => ({
      eval_id,
      eval_name,
      stored: readComparisons(caseFolder(folder, plan, eval_id), onDamage),
    }))
  return tallyCases(found, { a: plan.candidate_configuration, b: plan.baseline_configuration })
}

/** Summarizes the pairs of two folders. */
export function summarizePairs({ pairs, a, b }: Pairing, judge: string): ComparisonSummary {
  const cases = new Map(pairs.map((pair) => [pair.folder, pair]))
  const found = [...cases.values()].map(({ eval_id, eval_name, folder }) => ({
    eval_id,
    eval_name,
    stored: readComparisons(folder),
  }))
  return tallyCases(found, { a, b }) ?? tallyComparisons({ a, b, judge, comparisons: [], errors: 0 })
}

/** Writes comparison_summary.json; returns the written paths. */
export async function writeComparisonSummary(folder: string, summary: ComparisonSummary): Promise<string[]> {
  const file = path.join(folder, 'comparison_summary.json')
  await writeArtefact(comparisonSummary, file, summary)
  return [file]
}

interface CaseComparisons {
  eval_id: number
  eval_name: string
  stored: ReturnType<typeof readComparisons>
}

function tallyCases(found: readonly CaseComparisons[], { a, b }: { a: string; b: string }): ComparisonSummary | null {
  const comparisons = found.flatMap(({ eval_id, eval_name, stored }) =>
    stored.judged.map(({ comparison }) => ({ eval_id, eval_name, comparison })),
  )
  const errors = found.reduce((sum, { stored }) => sum + stored.failed.length, 0)
  if (comparisons.length + errors === 0) return null
  const judges = new Set(
    comparisons.flatMap(({ comparison: { judge } }) =>
      judge ? [[judge.engine, judge.model].filter(Boolean).join(':')] : [],
    ),
  )
  return tallyComparisons({ a, b, judge: judges.size === 0 ? null : [...judges].join(', '), comparisons, errors })
}
