/** A measurement of triggers as JUnit XML, Markdown and GitHub Actions annotations. Pure. */
import type { TriggerResult, Triggers } from '../../../../schemas/triggers.ts'
import { jsonText } from '../../../base/json/json_text.ts'
import type { ReportTexts } from '../../../cli/reporters/reporters.ts'
import type { GateOutcome } from '../../../phases/4-report/gate/check_gates.ts'
import { formatPlural, shortenText } from '../../../phases/4-report/text/format.ts'
import { workflowCommand } from '../../../phases/4-report/text/github.ts'
import { gateTest } from '../../../phases/4-report/text/junit_report.ts'
import { suitesXml, type TestCase } from '../../../phases/4-report/text/junit_xml.ts'
import { escapeMarkdown, markdownTable } from '../../../phases/4-report/text/markdown.ts'
import {
  confusionText,
  incompleteText,
  savingText,
  triggerHeader,
  triggerRow,
  triggerSentences,
} from './trigger_text.ts'

/** A measurement and the outcomes of its gates. */
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
