/** Counts which skills were read, by configuration, and shows the counts as a table. */
import type { Benchmark, SkillReadCount } from '../../../../../schemas/benchmark.ts'
import type { AggregateInput } from '../../benchmark/aggregate_input.ts'
import { armNames, type BenchmarkArms } from '../../benchmark/arms.ts'
import { formatConfiguration } from '../../text/format.ts'
import type { SummaryTable } from '../../text/summary_table.ts'

/** `counted`: ids of the runs in the rates. Empty: no run has other skills and shows what it read. */
export function countSkillsRead(
  { planned, results }: Pick<AggregateInput, 'planned' | 'results'>,
  counted: ReadonlySet<string>,
  arms: BenchmarkArms,
): SkillReadCount[] {
  const known = planned.flatMap(({ run_id, configuration }) => {
    const read = counted.has(run_id) ? results.get(run_id)?.record?.skills_read : undefined
    return read === undefined ? [] : [{ configuration, names: read.map(({ name }) => name) }]
  })
  const skills = [...new Set(known.flatMap(({ names }) => names))].sort()
  return armNames(arms).flatMap((configuration) => {
    const runs = known.filter((one) => one.configuration === configuration)
    if (runs.length === 0) return []
    return skills.map((skill) => {
      const read = runs.filter(({ names }) => names.includes(skill)).length
      return { configuration, skill, read, runs: runs.length }
    })
  })
}

/** One row per skill, one column per configuration; null: nothing is known. */
export function skillsReadTable({ skills_read: all = [] }: Pick<Benchmark, 'skills_read'>): SummaryTable | null {
  if (all.length === 0) return null
  const configurations = [...new Set(all.map(({ configuration }) => configuration))]
  const skills = [...new Set(all.map(({ skill }) => skill))]
  return {
    header: ['skill read', ...configurations.map(formatConfiguration)],
    rows: skills.map((skill) => [
      skill,
      ...configurations.map((configuration) => {
        const found = all.find((one) => one.skill === skill && one.configuration === configuration)
        return found === undefined ? '–' : `${found.read} of ${found.runs} runs`
      }),
    ]),
  }
}
