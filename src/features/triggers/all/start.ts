/** `triggers --all`: which of many skills is read for whose queries. */
import path from 'node:path'
import type { MatrixSkill, SkillTheft, TriggerMatrix } from '../../../../schemas/trigger_matrix.ts'
import type { TriggerShare } from '../../../../schemas/triggers.ts'
import { UserError } from '../../../base/errors/error.ts'
import { jsonText } from '../../../base/json/json_text.ts'
import { typedCommand } from '../../../base/typed_command.ts'
import { overlapLines } from '../../../cli/commands/check/overlap_lines.ts'
import { withFlow } from '../../../cli/commands/options/run_flow.ts'
import { warningLines } from '../../../cli/error_lines.ts'
import { chooseExitCode, exitCodes } from '../../../cli/exit_codes.ts'
import { gateLines } from '../../../cli/reporters/gates.ts'
import { commandLines } from '../../../cli/terminal/command_lines.ts'
import { chooseResumeWay, type ResumeWay, resumeHint } from '../../../cli/terminal/interrupt.ts'
import {
  alignColumns,
  colours,
  dollarsText,
  oneLine,
  textWidth,
  toSafeLine,
  wrapText,
} from '../../../cli/terminal/style.ts'
import type { FlowContext } from '../../../flows/flow_context.ts'
import { readPathValue } from '../../../phases/4-report/gate/benchmark_path.ts'
import { judgeValue } from '../../../phases/4-report/gate/check_gates.ts'
import { type Gate, parseGate } from '../../../phases/4-report/gate/parse_gate.ts'
import { matrixSentences } from '../../../phases/4-report/page/workspace_facts.ts'
import { formatPercent } from '../../../phases/4-report/text/format.ts'
import { askingWish, type TriggersArguments } from '../command.ts'
import { triggerMatrixGateSubject } from '../gate_subjects.ts'
import { usualRuns } from '../options.ts'
import { costText } from '../print.ts'
import type { AllTriggersResult, ReviewedAllTriggers } from './all_triggers.ts'
import type { AllTriggersRequest } from './prepare_all_triggers.ts'

type AllArguments = TriggersArguments & { all: string; fullGrid: boolean }

/** Returns the exit code. */
export async function startAll(parsed: AllArguments): Promise<number> {
  refuseOtherFlags(parsed)
  const { json, fresh, dryRun } = parsed
  const gates = parsed.gate.map((text) => parseGate(text, triggerMatrixGateSubject))
  const { measureAllTriggers, planAllTriggersOnly } = await import('./all_triggers.ts')
  const request: AllTriggersRequest = {
    ...askingWish(parsed),
    folder: parsed.all,
    set: parsed.set ?? null,
    workspace: parsed.workspace ?? null,
    runs: parsed.runs ?? usualRuns.all,
    until: parsed.fullGrid ? 'all' : 'decided',
    fresh,
  }
  const { concurrency, limits } = request
  if (dryRun) {
    const planned = (context: FlowContext) => planAllTriggersOnly(request, context)
    const { result } = await withFlow({ json, concurrency }, planned)
    showAllTriggerPlan(result, json)
    if (result.refusal !== null) throw result.refusal
    return exitCodes.done
  }
  const goesOn = chooseResumeWay(fresh)
  const waits = { maxWait: parsed.maxWait, limits }
  const asked = (context: FlowContext) => measureAllTriggers(request, context)
  const { result, interrupted } = await withFlow({ json, concurrency, goesOn, waits }, asked)
  return showMatrix(result, { json, interrupted, goesOn, gates })
}

function refuseOtherFlags({ skill, failOn, reporter, generate, output }: AllArguments): void {
  if (skill !== undefined)
    throw new UserError(
      `triggers --all with a skill ("${skill}")`,
      'leave the skill out: --all measures every skill of its folder',
    )
  if (failOn.length > 0)
    throw new UserError('--all with --fail-on', 'use --gate "thefts == 0" or --gate "lowest_recall >= 80%"')
  if (reporter.length > 0) throw new UserError('--all with --reporter', 'use --json, or read trigger_matrix.json')
  if (generate !== undefined || output !== undefined)
    throw new UserError(
      '--all with --generate',
      'draft the queries of each skill alone: whetstone triggers <skill> --generate 10',
    )
}

interface HowToShowMatrix {
  json: boolean
  interrupted: boolean
  goesOn: ResumeWay
  gates: readonly Gate[]
}

/** Exit code 0; 1 when a gate fails, 3 when a run has no answer or a query is undecided (takes precedence), 130 after Ctrl-C. */
export function showMatrix(result: AllTriggersResult, how: HowToShowMatrix): number {
  const { folder, file, matrix } = result
  const gates = how.gates.map((gate) => judgeValue(gate, readPathValue(matrix, gate.path), 'measurement'))
  const { interrupted } = how
  const code = chooseExitCode({
    interrupted,
    incomplete: !matrix.complete,
    failed: gates.some(({ passed }) => !passed),
  })
  if (how.json) {
    process.stdout.write(`${jsonText({ type: 'result', exit_code: code, folder, file, ...matrix, gates })}\n`)
  } else process.stdout.write(`${[...matrixLines(result, how), ...gateLines(gates)].join('\n')}\n`)
  return code
}

function matrixLines(
  { folder, file, matrix }: AllTriggersResult,
  { goesOn }: Pick<HowToShowMatrix, 'goesOn'>,
): string[] {
  const { bold, yellow, red, dim } = colours(process.stdout)
  const { stop, complete, skills, pairs, warnings } = matrix
  const width = textWidth(process.stdout)
  const rows = skills.map((one) => matrixRow(one).map((cell) => oneLine(cell, 60)))
  const [header = '', ...table] = alignColumns([matrixHeader, ...rows], [1, 2])
  const named = pairs.filter((pair) => pair.named)
  return [
    '',
    ...(stop === null ? [] : [yellow(toSafeLine(stop.reason))]),
    ...(complete ? [] : [yellow(bold(resumeHint(matrixIncompleteText(matrix), goesOn)))]),
    ...matrixSentences(matrix).flatMap((one) => wrapText(one, width).map((line) => bold(line))),
    '',
    dim(header),
    ...table,
    '',
    ...named.flatMap((one) => wrapText(`- ${oneLine(theftText(one), 600)}`, width).map((line) => red(line))),
    ...warnings.flatMap((one) => wrapText(`- ${one}`, width).map((line) => yellow(line))),
    ...errorLines(matrix).flatMap((one) => wrapText(`- ${one}`, width).map((line) => yellow(line))),
    ...wrapText(gridText(matrix), width).map((line) => dim(line)),
    dim(costText(matrix)),
    `${dim('wrote')} ${toSafeLine(path.relative(process.cwd(), file) || file)}`,
    `${dim('page ')} ${toSafeLine(`${typedCommand()} view ${path.relative(process.cwd(), folder) || folder}`)}`,
  ]
}

/** One line for each kind of error, with its first message. */
function errorLines({ runs }: TriggerMatrix): string[] {
  const first = new Map<string, string>()
  for (const { error } of runs) if (error !== null && !first.has(error.kind)) first.set(error.kind, error.message)
  return [...first].map(([kind, message]) => `${kind}: ${oneLine(message, 300)}`)
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
