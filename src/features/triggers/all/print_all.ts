/** Prints the result or the plan of `triggers --all`. */
import path from 'node:path'
import type { MatrixSkill, SkillTheft, TriggerMatrix } from '../../../../schemas/trigger_matrix.ts'
import type { TriggerShare } from '../../../../schemas/triggers.ts'
import { jsonText } from '../../../base/json/json_text.ts'
import { typedCommand } from '../../../base/package_root.ts'
import { warningLines } from '../../../cli/print_error.ts'
import { commandLines } from '../../../cli/terminal/command_lines.ts'
import { overlapLines } from '../../../cli/terminal/overlap_lines.ts'
import {
  alignColumns,
  colours,
  dollarsText,
  oneLine,
  textWidth,
  toSafeLine,
  wrapText,
} from '../../../cli/terminal/style.ts'
import { matrixSentences } from '../../../phases/4-report/page/workspace_facts.ts'
import { formatPercent } from '../../../phases/4-report/text/format.ts'
import { judgeMeasurement, type MeasurementView, measurementLines, showMeasurement } from '../print.ts'
import type { AllTriggersResult, ReviewedAllTriggers } from './all_triggers.ts'

/** Returns the exit code; 3 also when a query is undecided. */
export function showMatrix(result: AllTriggersResult, how: MeasurementView): number {
  const { folder, file, matrix } = result
  const gates = judgeMeasurement(matrix, how.gates)
  return showMeasurement({ folder, file, value: matrix }, { ...how, gates }, () => matrixLines(result, how))
}

function matrixLines(
  { folder, file, matrix }: AllTriggersResult,
  { goesOn }: Pick<MeasurementView, 'goesOn'>,
): string[] {
  const { red, dim } = colours(process.stdout)
  const width = textWidth(process.stdout)
  const rows = matrix.skills.map((one) => matrixRow(one).map((cell) => oneLine(cell, 60)))
  const named = matrix.pairs.filter((pair) => pair.named)
  const parts = {
    incomplete: matrixIncompleteText(matrix),
    sentences: matrixSentences(matrix),
    table: alignColumns([matrixHeader, ...rows], [1, 2]),
    findings: named.flatMap((one) => wrapText(`- ${oneLine(theftText(one), 600)}`, width).map((line) => red(line))),
    errors: matrix.runs.map(({ error }) => error),
    notes: wrapText(gridText(matrix), width).map((line) => dim(line)),
  }
  return [
    ...measurementLines({ file, value: matrix, goesOn }, parts),
    `${dim('page ')} ${toSafeLine(`${typedCommand()} view ${path.relative(process.cwd(), folder) || folder}`)}`,
  ]
}

/** Prints the plan for --dry-run. */
export function showAllTriggerPlan(planned: ReviewedAllTriggers, json: boolean): void {
  const { plan, skills, queries, overlaps, choices, review, costPerRun } = planned
  const { engine, until } = plan.options
  const own = queries.filter(({ owners }) => owners.length > 0).length
  const runs = { least: until === undefined ? plan.runs.length : queries.length, most: plan.runs.length }
  const cost = costPerRun === null ? null : { least: runs.least * costPerRun, most: runs.most * costPerRun }
  if (json) {
    const names = skills.map(({ name }) => name)
    const { commands } = review
    const line = { type: 'plan', skills: names, queries: queries.length, should: own, runs, cost_usd: cost, overlaps }
    process.stdout.write(`${jsonText({ ...line, engine, warnings: plan.warnings, commands })}\n`)
    return
  }
  const range = runs.least === runs.most ? `${runs.most} runs` : `${runs.least} to ${runs.most} runs`
  const where = [engine.name, engine.model].filter(Boolean).join(':')
  const lines = [
    ...choices,
    `${skills.length} skills installed: ${skills.map(({ name }) => name).join(', ')}`,
    `${queries.length} distinct queries: ${own} should read a skill, ${queries.length - own} should not read the skill that has them`,
    ...plan.warnings.filter(({ at }) => at !== 'description').flatMap(warningLines),
    ...commandLines(review.commands, review.confinement.sandbox.mechanism !== 'none'),
  ]
  const costLine =
    cost === null
      ? 'cost not known before the first run (--cost-per-run assumes one, --budget limits it)'
      : `cost ${dollarsText(cost.least)} to ${dollarsText(cost.most)} at ${dollarsText(costPerRun ?? 0)} a run`
  const tail = [`${range} on ${where}; ${costLine}; nothing was started`]
  process.stdout.write(`${[...lines.map(toSafeLine), ...overlapLines(overlaps), ...tail.map(toSafeLine)].join('\n')}\n`)
}

const matrixHeader = ['skill', 'queries', 'runs', 'recall (95% CI)', 'precision', 'loses to', 'takes from']

function matrixRow(skill: MatrixSkill): string[] {
  const { name, queries, runs, recall, precision, loses_to, takes_from, ended } = skill
  const note = ended === 'limit' || ended === 'open' ? ' (undecided)' : ''
  return [
    name,
    queries === 0 ? '–' : String(queries),
    queries === 0 ? '–' : String(runs),
    shareText(recall),
    shareText(precision),
    `${loses_to.join(', ')}${note}`,
    takes_from.join(', '),
  ]
}

/** "pdf-tools takes queries of pdf: 7 of 10 runs (70%, 95% CI 40–89%), queries 3, 4, 5; p < 0.001 for all pairs". */
function theftText({ skill, taken_by, reads, runs, rate, query_ids, q_value }: SkillTheft): string {
  const which = query_ids.length === 1 ? `query ${query_ids[0]}` : `queries ${query_ids.join(', ')}`
  const p = q_value < 0.001 ? '< 0.001' : `= ${q_value.toPrecision(2)}`
  return `${taken_by} takes queries of ${skill}: read in ${reads} of ${runs} runs (${formatPercent(rate.value)}, 95% CI ${rangeText(rate)}), ${which}; adjusted p ${p}`
}

function gridText({ summary, options }: Pick<TriggerMatrix, 'summary' | 'options'>): string {
  const { runs_planned, runs_grid, grid_share } = summary
  const whole = `${runs_planned} of ${runs_grid} runs of the full grid (${formatPercent(grid_share)})`
  if (options.until === 'all') return whole
  return `${whole}; queries of decided skills were not run again (--full-grid runs all)`
}

function matrixIncompleteText({ summary }: Pick<TriggerMatrix, 'summary'>): string {
  const { runs_decided, runs_planned } = summary
  const what =
    runs_decided === runs_planned
      ? 'some queries are not decided'
      : `${runs_decided} of ${runs_planned} runs have an answer`
  return `INCOMPLETE: ${what}; continue with the same command`
}

/** "92% (70–98%)". */
function shareText(share: TriggerShare | null): string {
  return share === null ? '–' : `${formatPercent(share.value)} (${rangeText(share)})`
}

function rangeText({ ci_low, ci_high }: Pick<TriggerShare, 'ci_low' | 'ci_high'>): string {
  return `${Math.round(ci_low * 100)}–${Math.round(ci_high * 100)}%`
}
