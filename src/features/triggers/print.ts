/** Prints the result or the plan of a trigger measurement; returns the exit code. */
import path from 'node:path'
import type { Triggers } from '../../../schemas/triggers.ts'
import { jsonText } from '../../base/json/json_text.ts'
import { chooseExitCode, exitCodes } from '../../cli/exit_codes.ts'
import { warningLines } from '../../cli/print_error.ts'
import { gateLines } from '../../cli/reporters/gates.ts'
import { commandLines } from '../../cli/terminal/command_lines.ts'
import { type ResumeWay, resumeHint } from '../../cli/terminal/interrupt.ts'
import {
  alignColumns,
  colours,
  dollarsText,
  durationText,
  oneLine,
  terminalWidth,
  textWidth,
  toSafeLine,
  wrapText,
} from '../../cli/terminal/style.ts'
import { type GateOutcome, judgeValue } from '../../phases/4-report/gate/check_gates.ts'
import type { Gate, PathStep } from '../../phases/4-report/gate/parse_gate.ts'
import type { GeneratedQueries } from './measure/generate_queries.ts'
import type { Reviewed } from './measure/measurement.ts'
import type { PreparedTriggers } from './measure/prepare_triggers.ts'
import type { TriggersResult } from './measure/triggers.ts'
import type { TriggerMistake } from './options.ts'
import {
  confusionText,
  incompleteText,
  savingText,
  triggerHeader,
  triggerRow,
  triggerSentences,
} from './report/texts.ts'

export interface MeasurementView {
  json: boolean
  interrupted: boolean
  goesOn: ResumeWay
  gates: readonly Gate[]
}

/** Returns the exit code, and the gates' outcomes. */
export function showTriggers(
  result: TriggersResult,
  how: MeasurementView & { failOn: readonly TriggerMistake[] },
): { code: number; gates: GateOutcome[] } {
  const { folder, file, triggers } = result
  const refused = how.failOn.map((kind): GateOutcome => {
    const count = triggers.confusions.filter((one) => one.kind === kind).length
    const message = `${count} ${count === 1 ? 'query' : 'queries'}`
    return { gate: `no query ${kind.replace('_', ' ')}`, passed: count === 0, value: count, message }
  })
  const gates = [...judgeMeasurement(triggers, how.gates), ...refused]
  const code = showMeasurement({ folder, file, value: triggers }, { ...how, gates }, () => resultLines(result, how))
  return { code, gates }
}

export function judgeMeasurement(value: object, gates: readonly Gate[]): GateOutcome[] {
  return gates.map((gate) => judgeValue(gate, readPathValue(value, gate.path), 'measurement'))
}

/** Exit code 0; 1 when a gate fails, 3 when it is incomplete (takes precedence), 130 after Ctrl-C. */
export function showMeasurement(
  { folder, file, value }: { folder: string; file: string; value: { complete: boolean } },
  { json, interrupted, gates }: { json: boolean; interrupted: boolean; gates: readonly GateOutcome[] },
  lines: () => string[],
): number {
  const failed = gates.some(({ passed }) => !passed)
  const code = chooseExitCode({ interrupted, incomplete: !value.complete, failed })
  const text = json
    ? jsonText({ type: 'result', exit_code: code, folder, file, ...value, gates })
    : [...lines(), ...gateLines(gates)].join('\n')
  process.stdout.write(`${text}\n`)
  return code
}

function resultLines({ file, triggers }: TriggersResult, { goesOn }: Pick<MeasurementView, 'goesOn'>): string[] {
  const { saving, confusions, results } = triggers
  const width = textWidth(process.stdout)
  return measurementLines(
    { file, value: triggers, goesOn },
    {
      incomplete: incompleteText(triggers),
      sentences: triggerSentences(triggers),
      table: resultTable(triggers),
      findings: confusions.flatMap((one) => wrapText(`- ${oneLine(confusionText(one), 600)}`, width)),
      errors: results.flatMap(({ query_runs }) => query_runs.map(({ error }) => error)),
      notes: saving === null ? [] : wrapText(savingText(saving), width),
    },
  )
}

interface ResultParts {
  incomplete: string
  sentences: readonly string[]
  table: readonly string[]
  /** What is wrong, as lines. */
  findings: readonly string[]
  /** Of the runs. */
  errors: readonly ({ kind: string; message: string } | null)[]
  notes: readonly string[]
}

export function measurementLines(
  {
    file,
    value,
    goesOn,
  }: { file: string; value: Pick<Triggers, 'stop' | 'complete' | 'warnings' | 'cost'>; goesOn: ResumeWay },
  { incomplete, sentences, table, findings, errors, notes }: ResultParts,
): string[] {
  const { bold, yellow, dim } = colours(process.stdout)
  const { stop, complete, warnings, cost } = value
  const width = textWidth(process.stdout)
  const [header = '', ...rows] = table
  // one line for each kind of error, with its first message
  const kinds = new Map<string, string>()
  for (const error of errors) if (error !== null && !kinds.has(error.kind)) kinds.set(error.kind, error.message)
  const kindLines = [...kinds].map(([kind, message]) => `${kind}: ${oneLine(message, 300)}`)
  return [
    '',
    ...(stop === null ? [] : [yellow(toSafeLine(stop.reason))]),
    ...(complete ? [] : [yellow(bold(resumeHint(incomplete, goesOn)))]),
    ...sentences.flatMap((one) => wrapText(one, width).map((line) => bold(line))),
    '',
    dim(header),
    ...rows,
    '',
    ...findings,
    ...[...warnings, ...kindLines].flatMap((one) => wrapText(`- ${one}`, width).map((line) => yellow(line))),
    ...notes,
    dim(costText(cost)),
    `${dim('wrote')} ${toSafeLine(path.relative(process.cwd(), file) || file)}`,
  ]
}

function resultTable({ results }: Triggers): string[] {
  const { green, red, yellow } = colours(process.stdout)
  const room = process.stdout.isTTY ? Math.max(20, terminalWidth(process.stdout) - 42) : 70
  const marks = { right: green('✓'), wrong: red('✗'), open: yellow('?') }
  const rows = results.map((result) => {
    const { mark, cells } = triggerRow(result)
    const [query = '', ...rest] = cells
    return [marks[mark], oneLine(query, room), ...rest]
  })
  return alignColumns([triggerHeader, ...rows], [3, 4, 5])
}

function costText({ usd, tokens, seconds, unknown }: Triggers['cost']): string {
  const more = usd !== null && unknown > 0 ? ` and ${unknown} runs of unknown cost` : ''
  return [
    usd === null ? 'cost not known' : `${dollarsText(usd)}${more}`,
    ...(tokens === null ? [] : [`${tokens.toLocaleString('en-US')} tokens`]),
    `${durationText(seconds * 1000)} of work`,
  ].join(' · ')
}

/** Prints the plan for --dry-run. */
export function showTriggerPlan({ plan, set, choices, review }: Reviewed<PreparedTriggers>, json: boolean): void {
  const should = set.queries.filter(({ should_trigger }) => should_trigger).length
  const among = (plan.runs[0]?.among ?? []).map(({ name }) => name)
  const { engine } = plan.options
  if (json) {
    const { path: file, format } = set
    const line = { type: 'plan', set: file, format, queries: set.queries.length, should, among, runs: plan.runs.length }
    const { commands } = review
    process.stdout.write(`${jsonText({ ...line, engine, warnings: plan.warnings, commands })}\n`)
    return
  }
  const lines = [
    ...choices,
    `set ${path.relative(process.cwd(), set.path)} (${set.format})`,
    ...plan.warnings.flatMap(warningLines),
    `${set.queries.length} queries: ${should} should trigger, ${set.queries.length - should} should not`,
    `installed with it: ${among.length === 0 ? 'none' : among.join(', ')}`,
    ...commandLines(review.commands, review.confinement.sandbox.mechanism !== 'none'),
    `${plan.runs.length} runs on ${[engine.name, engine.model].filter(Boolean).join(':')}; nothing was started`,
  ]
  process.stdout.write(`${lines.map(toSafeLine).join('\n')}\n`)
}

export function showDrafts({ file, drafts, problem, costUsd }: GeneratedQueries, json: boolean): void {
  if (json) {
    const line = { type: 'result', exit_code: exitCodes.done, file, queries: drafts, problem, cost_usd: costUsd }
    process.stdout.write(`${jsonText(line)}\n`)
    return
  }
  const rows = drafts.map(({ query, should_trigger, kind }) => [
    should_trigger ? 'yes' : 'no',
    kind,
    oneLine(query, 90),
  ])
  const place = toSafeLine(path.relative(process.cwd(), file) || file)
  const lines = [
    ...alignColumns([['should', 'kind', 'query'], ...rows]),
    '',
    ...(problem === null ? [] : [`different from the request: ${toSafeLine(problem)}`]),
    `wrote ${place}: drafts by a model. Read each, fix or remove it, delete "review": "draft",`,
    'and save the file as evals/trigger-eval.json.',
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}

function readPathValue(made: unknown, path: readonly PathStep[]): unknown {
  return path.reduce<unknown>((value, step) => {
    if (value === null || typeof value !== 'object') return undefined
    return Object.entries(value).find(([key]) => key === String(step))?.[1]
  }, made)
}
