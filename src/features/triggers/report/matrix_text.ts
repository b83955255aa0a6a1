/** A measurement of many skills in sentences and rows, for the terminal. */
import type { MatrixSkill, SkillTheft, TriggerMatrix } from '../../../../schemas/trigger_matrix.ts'
import type { TriggerShare } from '../../../../schemas/triggers.ts'
import { formatPercent } from '../../../phases/4-report/text/format.ts'

/** "92% (70–98%)". */
function shareText(share: TriggerShare | null): string {
  return share === null ? '–' : `${formatPercent(share.value)} (${rangeText(share)})`
}

function rangeText({ ci_low, ci_high }: Pick<TriggerShare, 'ci_low' | 'ci_high'>): string {
  return `${Math.round(ci_low * 100)}–${Math.round(ci_high * 100)}%`
}

export const matrixHeader = ['skill', 'queries', 'runs', 'recall (95% CI)', 'precision', 'loses to', 'takes from']

/** One row per skill. */
export function matrixRow(skill: MatrixSkill): string[] {
  const { name, queries, runs, recall, precision, loses_to, takes_from, ended } = skill
  const note = ended === 'limit' || ended === 'open' ? ' (undecided)' : ''
  return [
    name,
    queries === 0 ? '–' : String(queries),
    queries === 0 ? '–' : String(runs),
    shareText(recall),
    precision === null ? '–' : shareText(precision),
    `${loses_to.join(', ')}${note}`,
    takes_from.join(', '),
  ]
}

/** "pdf-tools takes queries of pdf: 7 of 10 runs (70%, 95% CI 40–89%), queries 3, 4, 5; p < 0.001 for all pairs". */
export function theftText({ skill, taken_by, reads, runs, rate, query_ids, q_value }: SkillTheft): string {
  const which = query_ids.length === 1 ? `query ${query_ids[0]}` : `queries ${query_ids.join(', ')}`
  const p = q_value < 0.001 ? '< 0.001' : `= ${q_value.toPrecision(2)}`
  return `${taken_by} takes queries of ${skill}: read in ${reads} of ${runs} runs (${formatPercent(rate.value)}, 95% CI ${rangeText(rate)}), ${which}; adjusted p ${p}`
}

/** How much of the full grid was run. */
export function gridText({ summary, options }: Pick<TriggerMatrix, 'summary' | 'options'>): string {
  const { runs_planned, runs_grid, grid_share } = summary
  const whole = `${runs_planned} of ${runs_grid} runs of the full grid (${formatPercent(grid_share)})`
  if (options.until === 'all') return whole
  return `${whole}; queries of decided skills were not run again (--full-grid runs all)`
}

/** For an incomplete measurement. */
export function matrixIncompleteText({ summary }: Pick<TriggerMatrix, 'summary'>): string {
  const { runs_decided, runs_planned } = summary
  const what =
    runs_decided === runs_planned
      ? 'some queries are not decided'
      : `${runs_decided} of ${runs_planned} runs have an answer`
  return `INCOMPLETE: ${what}; continue with the same command`
}
