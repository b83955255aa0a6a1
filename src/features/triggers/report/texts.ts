/** A measurement of one skill in sentences and rows, for terminal and Markdown, and as JUnit XML and GitHub Actions annotations. Pure. */
import type {
  TriggerConfusion,
  TriggerResult,
  TriggerSaving,
  TriggerShare,
  Triggers,
} from '../../../../schemas/triggers.ts'
import { jsonText } from '../../../base/json/json_text.ts'
import type { ReportTexts } from '../../../cli/reporters/reporters.ts'
import type { GateOutcome } from '../../../phases/4-report/gate/check_gates.ts'
import { behavingText, formatPlural, shortenText } from '../../../phases/4-report/text/format.ts'
import { workflowCommand } from '../../../phases/4-report/text/github.ts'
import { gateTest, suitesXml, type TestCase } from '../../../phases/4-report/text/junit_report.ts'
import { escapeMarkdown, markdownTable } from '../../../phases/4-report/text/markdown.ts'

export function triggerSentences({ metrics, summary }: Pick<Triggers, 'metrics' | 'summary'>): string[] {
  const { total, passed, undecided } = summary
  const { recall, precision, false_trigger_rate } = metrics
  const open = undecided === 0 ? '' : `; ${undecided} without an answer`
  return [
    `${behavingText(passed, total)}${open}.`,
    `Recall ${shareText(recall)}, precision ${shareText(precision)}, false trigger rate ${shareText(false_trigger_rate)}.`,
  ]
}

/** "92% (70–98%)". */
function shareText(share: TriggerShare | null): string {
  if (share === null) return 'not known'
  return `${percent(share.value)} (${rangeText(share)})`
}

function rangeText({ ci_low, ci_high }: Pick<TriggerShare, 'ci_low' | 'ci_high'>): string {
  return `${Math.round(ci_low * 100)}–${percent(ci_high)}`
}

function percent(share: number): string {
  return `${Math.round(share * 100)}%`
}

export const triggerHeader = ['', 'query', 'should', 'triggered', '95% CI', 'no answer']

/** One row per query, in the order of the set. `mark`: its behaviour is right, wrong or not known. */
export function triggerRow(result: TriggerResult): { mark: 'right' | 'wrong' | 'open'; cells: string[] } {
  const { query_id, query, should_trigger, triggers, runs, trigger_rate, errors, missing, pass } = result
  const open = errors + missing
  return {
    mark: pass === null ? 'open' : pass ? 'right' : 'wrong',
    cells: [
      `${query_id} ${query}`,
      should_trigger ? 'yes' : 'no',
      trigger_rate === null ? '–' : `${triggers}/${runs}`,
      trigger_rate === null ? '' : rangeText(result),
      open === 0 ? '' : String(open),
    ],
  }
}

/** What stopping runs early saved, and what that is compared with. */
export function savingText(saving: TriggerSaving): string {
  const { stopped, of, unit, mean_stopped, mean_whole, basis, saved_share } = saving
  const ended = `${stopped} of ${of} runs ended as soon as the skill was read, after ${amount(mean_stopped, unit)} on average`
  if (mean_whole === null || saved_share === null) {
    return `${ended}; the amount saved is unknown (--no-stop-early lets runs continue to the end)`
  }
  const against = `${basis} took ${amount(mean_whole, unit)}`
  if (saved_share < 0) return `${ended}; ${against}, so nothing was saved by this estimate`
  return `${ended}; ${against}: about ${percent(saved_share)} of their cost saved`
}

function amount(value: number, unit: TriggerSaving['unit']): string {
  switch (unit) {
    case 'usd':
      return `$${value.toFixed(value < 0.1 ? 4 : 2)}`
    case 'tokens':
      return `${Math.round(value).toLocaleString('en-US')} tokens`
    case 'seconds':
      return `${value.toFixed(1)} s`
  }
}

/** One query that the description gets wrong, and what its runs read instead. */
export function confusionText({ kind, query_id, query, trigger_rate, instead }: TriggerConfusion): string {
  const what = kind === 'missed' ? 'missed' : 'wrongly triggered'
  const others = instead.map(({ skill, runs }) => `${skill} (${runs})`).join(', ')
  const rest = others === '' ? '' : `; other skills read: ${others}`
  return `${what} at ${percent(trigger_rate)}: ${query_id} ${shortenText(query, 120)}${rest}`
}

export function incompleteText({ summary }: Pick<Triggers, 'summary'>): string {
  const { runs_decided, runs_planned } = summary
  return `INCOMPLETE: ${runs_decided} of ${runs_planned} runs have an answer; continue with the same command`
}

interface ReportedTriggers {
  triggers: Triggers
  gates: readonly GateOutcome[]
}

export const triggerReports: ReportTexts<ReportedTriggers> = {
  junit: triggersJunit,
  markdown: triggersMarkdown,
  json: (value) => `${jsonText(value, 2)}\n`,
  github: triggersGithub,
}

/** One testsuite with a test per gate and query. A query is an error if any of its runs has no answer. */
function triggersJunit({ triggers, gates }: ReportedTriggers): string {
  const { skill_name: name, results, created_at } = triggers
  const tests = [...gates.map((gate) => gateTest(name, gate)), ...results.map((one) => queryTest(name, one))]
  return suitesXml([{ name, tests, timestamp: created_at, headline: triggerSentences(triggers).join(' ') }])
}

function queryTest(skill: string, result: TriggerResult): TestCase {
  const { query_id, query, query_runs, should_trigger } = result
  return {
    classname: `${skill}.${should_trigger ? 'should trigger' : 'should not trigger'}`,
    name: `${query_id} ${shortenText(query, 120)}`,
    seconds: query_runs.reduce((sum, { duration_ms }) => sum + (duration_ms ?? 0) / 1000, 0),
    end: toQueryTestEnd(result),
  }
}

function toQueryTestEnd({
  pass,
  errors,
  missing,
  triggers,
  runs,
  should_trigger,
  query,
  query_runs,
}: TriggerResult): TestCase['end'] {
  if (errors + missing > 0 || pass === null) {
    const message = `${formatPlural(errors + missing, 'run')} without an answer`
    const said = query_runs.flatMap(({ error }) => (error === null ? [] : [`${error.kind}: ${error.message}`]))
    return { kind: 'error', message, text: [...new Set(said), query].join('\n') }
  }
  if (pass) return { kind: 'passed' }
  const message = `triggered in ${triggers} of ${formatPlural(runs, 'run')}, ${should_trigger ? 'should trigger' : 'should not trigger'}`
  return { kind: 'failure', message, text: query }
}

function triggersMarkdown({ triggers, gates }: ReportedTriggers): string {
  const { skill_name, results, confusions, warnings, saving, stop, complete } = triggers
  const words = { right: 'as it should', wrong: 'WRONG', open: 'not known' }
  const rows = results.map((result) => {
    const { mark, cells } = triggerRow(result)
    return [words[mark], ...cells]
  })
  const said = [
    ...gates.map(({ gate, passed, message }) => `gate ${passed ? 'passed' : 'failed'}: ${gate} (${message})`),
    ...confusions.map(confusionText),
    ...warnings,
    ...(saving === null ? [] : [savingText(saving)]),
  ]
  const above = [
    ...(stop === null ? [] : [stop.reason]),
    ...(complete ? [] : [incompleteText(triggers)]),
    ...triggerSentences(triggers),
  ]
  const list = said.map((line) => `- ${escapeMarkdown(line)}`)
  return [
    `## ${escapeMarkdown(skill_name)}: triggers`,
    '',
    ...above.map(escapeMarkdown),
    '',
    markdownTable(triggerHeader, rows, 'words'),
    '',
    ...list,
    '',
  ].join('\n')
}

/** A notice with the result, a warning if incomplete, an error for each failed gate, a warning for each wrong query. */
function triggersGithub({ triggers, gates }: ReportedTriggers): string[] {
  const { skill_name: name, complete, confusions } = triggers
  return [
    workflowCommand('notice', name, triggerSentences(triggers).join(' ')),
    ...(complete ? [] : [workflowCommand('warning', name, incompleteText(triggers))]),
    ...gates
      .filter(({ passed }) => !passed)
      .map(({ gate, message }) => workflowCommand('error', name, `gate failed: ${gate}: ${message}`)),
    ...confusions.map((one) => workflowCommand('warning', name, confusionText(one))),
  ]
}
