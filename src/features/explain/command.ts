/** `whetstone explain`: shows where cases failed, with the evidence. */
import type { Argv } from 'yargs'
import type { ExplainedCase, ExplainedExpectation, ExplainedRun, Explanation } from '../../../schemas/explanation.ts'
import { jsonText } from '../../base/json/json_text.ts'
import { quoteWord } from '../../base/package_root.ts'
import { onOff, text } from '../../cli/commands/options/flag.ts'
import { type SetExitCode, withFlow } from '../../cli/commands/options/run_flow.ts'
import { exitCodes } from '../../cli/exit_codes.ts'
import { nameCommands } from '../../cli/help/installed_text.ts'
import { colours, oneLine, toSafeLine, wrapText } from '../../cli/terminal/style.ts'
import {
  formatPercent,
  formatPlural,
  formatPointRange,
  formatPoints,
  shortenText,
} from '../../phases/4-report/text/format.ts'

function explainOptions(args: Argv) {
  return args
    .positional('benchmark', {
      type: 'string',
      default: '.',
      describe: 'benchmark, workspace (its newest benchmark), or folder of gradings',
    })
    .options({
      case: { ...text, describe: 'show one case: its id, key, name or a glob' },
      json: { ...onOff, describe: 'print one JSON document' },
    })
    .usage(
      '$0 explain [benchmark] [options]\n\nShow why cases failed: what failed in how many runs, the evidence, and how runs ended.\n\nReads the files on disk, asks no model and writes nothing. Failures of infrastructure and open verdicts are listed apart.',
    )
    .example('$0 explain workspaces/pdf', 'explain the newest benchmark, worst cases first')
    .example('$0 explain workspaces/pdf --case merge-two-files', 'explain one case')
    .example('$0 explain pdf-workspace/iteration-2 --json', "explain another tool's gradings")
}

export function addExplain(args: Argv, done: SetExitCode): Argv {
  const text = 'show why cases failed, with the evidence'
  return args.command('explain [benchmark]', text, explainOptions, async ({ benchmark, json, case: named = null }) => {
    const { explain } = await import('./explain.ts')
    const { result } = await withFlow({ json, oneDocument: true, concurrency: 1 }, (context) =>
      explain({ folder: benchmark, case: named }, context),
    )
    process.stdout.write(json ? `${jsonText(result)}\n` : `${explanationLines(result).join('\n')}\n`)
    done(exitCodes.done)
  })
}

const columns = 80
const longestQuote = 300
const mostShown = 6

function explanationLines({ benchmark, verdict, cases, left_out, passing, next }: Explanation): string[] {
  const { bold, dim } = colours(process.stdout)
  const { skill_name, timestamp, complete } = benchmark
  const rest = [
    ...(left_out > 0 ? [`${formatPlural(left_out, 'more case')} failed or differ: name one with --case.`] : []),
    ...(passing > 0 ? [`Passed in every run: ${formatPlural(passing, 'case')}.`] : []),
    ...(complete ? [] : ['Incomplete: some planned runs have no grade.']),
  ]
  return [
    dim(toSafeLine(`${skill_name}, ${timestamp}`)),
    ...wrapText(verdict, columns).map((line) => bold(line)),
    ...cases.flatMap((one) => ['', ...caseLines(one)]),
    '',
    ...rest.flatMap((text) => block('', text)),
    ...(rest.length > 0 ? [''] : []),
    ...next.flatMap(({ argv, why }) => [
      dim(`${why}:`),
      `  ${toSafeLine(nameCommands(argv.map(quoteWord).join(' ')))}`,
    ]),
  ]
}

function caseLines(one: ExplainedCase): string[] {
  const { bold } = colours(process.stdout)
  const more = one.expectations.length - mostShown
  return [
    bold(oneLine(`case ${one.eval_id}: ${one.eval_name}`, columns)),
    ...block('  ', rateText(one)),
    ...one.notes.flatMap((note) => block('  ', note)),
    ...(one.cannot_run === null ? [] : block('  ', `Can't run: ${one.cannot_run}`)),
    ...(one.metadata === null ? [] : block('  ', `notes of the suite: ${quote(JSON.stringify(one.metadata))}`)),
    ...one.expectations.slice(0, mostShown).flatMap(expectationLines),
    ...(more > 0 ? [`  … ${formatPlural(more, 'more failed expectation')} (--json lists all)`] : []),
    ...groupByText(one.runs, runTexts).flatMap(runLines),
    ...(one.runs_left_out > 0 ? [`  … ${formatPlural(one.runs_left_out, 'more failed run')}`] : []),
    ...listed('not counted (not a failure of the skill):', one.not_counted, (run) => {
      const why = run.kind === null ? run.reason : `${run.reason}: ${run.kind}`
      return `${why}: ${quote(run.message)}`
    }),
    ...listed('left open by the judge (not failures):', one.judge_errors, (error) => {
      return `"${quote(error.text)}": ${quote(error.reason)}`
    }),
  ]
}

function rateText({ rates, difference }: ExplainedCase): string {
  const shown = rates.map(({ configuration, runs, pass_rate, all_passed }) => {
    if (pass_rate === null) return `${configuration}: no graded run`
    return `${configuration}: pass rate ${formatPercent(pass_rate)}, all passed in ${all_passed} of ${formatPlural(runs, 'run')}`
  })
  if (difference === null) return shown.join('; ')
  const { mean, ci_low, ci_high } = difference
  const interval = ci_low === null || ci_high === null ? '' : `, 95% CI ${formatPointRange(ci_low, ci_high)}`
  return `${shown.join('; ')} (${formatPoints(mean)}${interval})`
}

function expectationLines({ text, decided_by, in_rate, results, flaky, evidence }: ExplainedExpectation): string[] {
  const counts = results
    .map(({ configuration, failed, decided }) => `${configuration} ${failed} of ${decided}`)
    .join(', ')
  const marks = [
    ...(decided_by?.startsWith('check:') ? [decided_by] : []),
    ...(flaky ? ['flaky'] : []),
    ...(in_rate ? [] : ['in no comparison']),
  ]
  const proofs = groupByText(
    evidence.filter(({ quote: found }) => found !== ''),
    (one) => {
      const { file, line } = one.evidence_at ?? {}
      const place = file === undefined ? '' : ` (${file}:${line})`
      const doubt = one.evidence_verified === 'absent' ? ' (quote not found)' : ''
      return [`${quote(one.quote)}${place}${doubt}`]
    },
  ).map(({ runs, lines }) => `${runs.map(runName).join(', ')}: ${lines.join('')}`)
  return [
    ...block('  ✗ ', quote(text)),
    ...block('    ', `fails in ${counts}${marks.length > 0 ? ` (${marks.join(', ')})` : ''}`),
    ...proofs.flatMap((proof) => block('    ', proof)),
  ]
}

const endTexts: Readonly<Record<ExplainedRun['end'], string>> = {
  completed: 'completed',
  timed_out: 'ran out of time',
  refused: 'the model refused',
  cut: 'cut at the output or context limit',
  turn_limit: 'reached the turn limit',
  asked_user: 'ended with a question to the user',
  unknown: 'end not recorded',
}

function conversationText({ messages, ended }: NonNullable<ExplainedRun['conversation']>): string {
  return `${messages} ${messages === 1 ? 'message' : 'messages'} of the user (${conversationEnds[ended]})`
}

const conversationEnds: Readonly<Record<NonNullable<ExplainedRun['conversation']>['ended'], string>> = {
  all_delivered: 'all were sent',
  agent_did_not_ask: 'the agent did not ask for the next',
  agent_response_mismatch: 'the condition of the next was not met',
  end_when: 'the condition to end was met',
  goal_met: 'its goal was met',
  stop: 'it gave up',
  max_turns: 'it may send no more',
  agent_ended: 'the agent ended the conversation',
}

interface AlikeRuns<T> {
  runs: [T, ...T[]]
  lines: string[]
}

/** In the order of the first of each group. */
function groupByText<T>(all: readonly T[], text: (one: T) => string[]): AlikeRuns<T>[] {
  const groups = new Map<string, AlikeRuns<T>>()
  for (const one of all) {
    const lines = text(one)
    const group = groups.get(lines.join('\n'))
    if (group === undefined) groups.set(lines.join('\n'), { runs: [one], lines })
    else group.runs.push(one)
  }
  return [...groups.values()]
}

/** How a run ended, and what was noticed about it. */
function runTexts(run: ExplainedRun): string[] {
  const { end, conversation, exit_code, skill_read, last_error, outputs, notes } = run
  const parts = [
    endTexts[end],
    ...(conversation === undefined ? [] : [conversationText(conversation)]),
    ...(exit_code === null || exit_code === 0 ? [] : [`exit code ${exit_code}`]),
    ...(skill_read === null ? [] : [skill_read ? 'skill read' : 'skill not read']),
    ...(outputs === null ? [] : [filesText(outputs)]),
  ]
  const error =
    last_error === null
      ? []
      : [
          `last tool error (line ${last_error.line}${last_error.tool === null ? '' : `, ${last_error.tool}`}): ${quote(last_error.text)}`,
        ]
  return [
    parts.join('; '),
    ...error,
    ...notes.slice(0, mostShown).map((note) => `note: ${quote(note)}`),
    ...(notes.length > mostShown
      ? [`… ${formatPlural(notes.length - mostShown, 'more note')} (--json lists all)`]
      : []),
  ]
}

/** Runs that ended alike, with the transcript of the first. */
function runLines({ runs, lines: [end = '', ...more] }: AlikeRuns<ExplainedRun>): string[] {
  const [{ folder, transcript, removed }] = runs
  return [
    ...block('  • ', `${runs.map(runName).join(', ')}: ${end}`),
    ...more.flatMap((text) => block('    ', text)),
    ...(folder === null ? [] : block('    ', transcript ?? `${folder} (${removed ?? 'no transcript'})`)),
  ]
}

function filesText(outputs: readonly string[]): string {
  if (outputs.length === 0) return 'no output files'
  const shown = outputs.slice(0, 3).join(', ')
  return `left ${shown}${outputs.length > 3 ? ` and ${formatPlural(outputs.length - 3, 'more file')}` : ''}`
}

/** Runs with the same text are named together. */
function listed<T extends { configuration: string; run_number: number }>(
  title: string,
  all: readonly T[],
  text: (one: T) => string,
): string[] {
  const groups = groupByText(all, (one) => [text(one)])
  const more = groups.length - mostShown
  const shown = groups
    .slice(0, mostShown)
    .map(({ runs, lines }) => `${runs.map(runName).join(', ')}: ${lines.join('')}`)
  const lines = shown.flatMap((line) => block('    ', line))
  return all.length === 0 ? [] : [`  ${title}`, ...lines, ...(more > 0 ? [`    … ${more} more`] : [])]
}

function runName({ configuration, run_number }: { configuration: string; run_number: number }): string {
  return `${configuration} run ${run_number}`
}

function quote(text: string): string {
  return shortenText(text, longestQuote)
}

/** Wrapped lines; the first begins with `lead`, the others are indented as far. */
function block(lead: string, text: string): string[] {
  const [first = '', ...rest] = wrapText(text, columns - lead.length - 2)
  return [`${lead}${first}`, ...rest.map((line) => `${' '.repeat(lead.length)}${line.trimStart()}`)]
}
