/** Prints the result or the plan of `triggers --all`; returns the exit code. */
import path from 'node:path'
import type { TriggerMatrix } from '../../../../schemas/trigger_matrix.ts'
import { jsonText } from '../../../base/json/json_text.ts'
import { typedCommand } from '../../../base/typed_command.ts'
import type { AllTriggersResult, ReviewedAllTriggers } from '../../../flows/triggers/all/all_triggers.ts'
import { readPathValue } from '../../../phases/4-report/gate/benchmark_path.ts'
import { judgeValue } from '../../../phases/4-report/gate/check_gates.ts'
import type { Gate } from '../../../phases/4-report/gate/parse_gate.ts'
import {
  gridText,
  matrixHeader,
  matrixIncompleteText,
  matrixRow,
  matrixSentences,
  theftText,
} from '../../../phases/4-report/triggers/all/matrix_text.ts'
import { warningLines } from '../../error_lines.ts'
import { chooseExitCode } from '../../exit_codes.ts'
import { gateLines } from '../../reporters/gates.ts'
import { commandLines } from '../../terminal/command_lines.ts'
import { type ResumeWay, resumeHint } from '../../terminal/interrupt.ts'
import { alignColumns, colours, dollarsText, oneLine, textWidth, toSafeLine, wrapText } from '../../terminal/style.ts'
import { overlapLines } from '../check/overlap_lines.ts'
import { costText } from './print.ts'

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
