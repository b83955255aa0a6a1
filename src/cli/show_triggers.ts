/** Prints what a measurement of triggers ended with, or would do; gives the exit code. */
import path from 'node:path'
import type { Triggers } from '../../schemas/triggers.ts'
import type { Generated } from '../flows/triggers/generate.ts'
import type { PreparedTriggers } from '../flows/triggers/prepare_triggers.ts'
import type { TriggersResult } from '../flows/triggers/triggers.ts'
import { type GateResult, judgeValue } from '../phases/4-report/gate/judge.ts'
import type { Gate } from '../phases/4-report/gate/parse.ts'
import { valueIn } from '../phases/4-report/gate/path.ts'
import {
  confusionText,
  incompleteText,
  savingText,
  triggerHeader,
  triggerRow,
  triggerSentences,
} from '../phases/4-report/triggers/text.ts'
import type { TriggerMistake } from './commands/triggers_flags.ts'
import { exitCodes } from './exit.ts'
import { gateLines } from './gates.ts'
import { type Again, goingOn } from './interrupt.ts'
import { colours, columns, dollars, duration, oneLine, safe, textWidth, wrap } from './style.ts'
import { terminalWidth } from './terminal_size.ts'

interface HowToShow {
  json: boolean
  interrupted: boolean
  goesOn: Again
  gates: readonly Gate[]
  failOn: readonly TriggerMistake[]
}

/** Exit code 0; 1 when a gate fails, 3 when a run has no answer (which wins), 130 after Ctrl-C. Gives the gates as they held, too. */
export function showTriggers(result: TriggersResult, how: HowToShow): { code: number; gates: GateResult[] } {
  const { folder, file, triggers } = result
  const gates = judged(triggers, how)
  const code = codeOf(triggers, gates, how.interrupted)
  if (how.json) {
    const line = { type: 'result', exit_code: code, folder, file, ...triggers, gates }
    process.stdout.write(`${JSON.stringify(line)}\n`)
  } else process.stdout.write(`${[...resultLines(result, how), ...gateLines(gates)].join('\n')}\n`)
  return { code, gates }
}

function judged(triggers: Triggers, { gates, failOn }: Pick<HowToShow, 'gates' | 'failOn'>): GateResult[] {
  const held = gates.map((gate) => judgeValue(gate, valueIn(triggers, gate.path), 'measurement'))
  const refused = failOn.map((kind): GateResult => {
    const count = triggers.confusions.filter((one) => one.kind === kind).length
    const message = `${count} ${count === 1 ? 'query' : 'queries'}`
    return { gate: `no query ${kind.replace('_', ' ')}`, passed: count === 0, value: count, message }
  })
  return [...held, ...refused]
}

function codeOf({ complete }: Triggers, gates: readonly GateResult[], interrupted: boolean): number {
  if (interrupted) return exitCodes.interrupted
  if (!complete) return exitCodes.incomplete
  return gates.every(({ passed }) => passed) ? exitCodes.done : exitCodes.gateFailed
}

function resultLines({ file, triggers }: TriggersResult, { goesOn }: HowToShow): string[] {
  const { bold, yellow, dim } = colours(process.stdout)
  const { warnings, saving, stop, complete } = triggers
  const width = textWidth(process.stdout)
  const table = tableOf(triggers)
  return [
    '',
    ...(stop === null ? [] : [yellow(safe(stop.reason))]),
    ...(complete ? [] : [yellow(bold(goingOn(incompleteText(triggers), goesOn)))]),
    ...triggerSentences(triggers).flatMap((one) => wrap(one, width).map((line) => bold(line))),
    '',
    dim(table[0] ?? ''),
    ...table.slice(1),
    '',
    ...triggers.confusions.flatMap((one) => wrap(`- ${oneLine(confusionText(one), 600)}`, width)),
    ...warnings.flatMap((one) => wrap(`- ${one}`, width).map((line) => yellow(line))),
    ...errorsIn(triggers).flatMap((one) => wrap(`- ${one}`, width).map((line) => yellow(line))),
    ...(saving === null ? [] : wrap(savingText(saving), width)),
    dim(costText(triggers)),
    `${dim('wrote')} ${safe(path.relative(process.cwd(), file) || file)}`,
  ]
}

function tableOf({ results }: Triggers): string[] {
  const { green, red, yellow } = colours(process.stdout)
  const room = process.stdout.isTTY ? Math.max(20, terminalWidth(process.stdout) - 42) : 70
  const marks = { right: green('✓'), wrong: red('✗'), open: yellow('?') }
  const rows = results.map((result) => {
    const { mark, cells } = triggerRow(result)
    const [query = '', ...rest] = cells
    return [marks[mark], oneLine(query, room), ...rest]
  })
  return columns([triggerHeader, ...rows], [3, 4, 5])
}

/** One line for each kind of error, with the first message of it. */
function errorsIn({ results }: Triggers): string[] {
  const first = new Map<string, string>()
  for (const { query_runs } of results) {
    for (const { error } of query_runs)
      if (error !== null && !first.has(error.kind)) first.set(error.kind, error.message)
  }
  return [...first].map(([kind, message]) => `${kind}: ${oneLine(message, 300)}`)
}

function costText({ cost }: Triggers): string {
  const { usd, tokens, seconds, unknown } = cost
  const more = usd !== null && unknown > 0 ? ` and what ${unknown} runs do not say` : ''
  return [
    usd === null ? 'cost not known' : `${dollars(usd)}${more}`,
    ...(tokens === null ? [] : [`${tokens.toLocaleString('en-US')} tokens`]),
    `${duration(seconds * 1000)} of work`,
  ].join(' · ')
}

/** What --dry-run says. */
export function showTriggerPlan({ plan, set, choices }: PreparedTriggers, json: boolean): void {
  const should = set.queries.filter(({ shouldTrigger }) => shouldTrigger).length
  const among = (plan.runs[0]?.among ?? []).map(({ name }) => name)
  const { engine } = plan.options
  if (json) {
    const { path: file, format } = set
    const line = { type: 'plan', set: file, format, queries: set.queries.length, should, among, runs: plan.runs.length }
    process.stdout.write(`${JSON.stringify({ ...line, engine, warnings: plan.warnings })}\n`)
    return
  }
  const lines = [
    ...choices,
    `set ${path.relative(process.cwd(), set.path)} (${set.format})`,
    ...plan.warnings.map(({ at, message }) => `warning ${at}: ${message}`),
    `${set.queries.length} queries: ${should} should trigger, ${set.queries.length - should} should not`,
    `skills beside it: ${among.length === 0 ? 'none' : among.join(', ')}`,
    `${plan.runs.length} runs on ${[engine.name, engine.model].filter(Boolean).join(':')}; nothing was started`,
  ]
  process.stdout.write(`${lines.map(safe).join('\n')}\n`)
}

/** What --generate ended with. */
export function showDrafts({ file, drafts, problem, costUsd }: Generated, json: boolean): void {
  if (json) {
    const line = { type: 'result', exit_code: exitCodes.done, file, queries: drafts, problem, cost_usd: costUsd }
    process.stdout.write(`${JSON.stringify(line)}\n`)
    return
  }
  const rows = drafts.map(({ query, should_trigger, kind }) => [
    should_trigger ? 'yes' : 'no',
    kind,
    oneLine(query, 90),
  ])
  const place = safe(path.relative(process.cwd(), file) || file)
  const lines = [
    ...columns([['should', 'kind', 'query'], ...rows]),
    '',
    ...(problem === null ? [] : [`not as asked: ${safe(problem)}`]),
    `wrote ${place}: drafts by a model. Read each, mend or drop it, take out "review": "draft",`,
    'and save the file as evals/trigger-eval.json.',
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}
