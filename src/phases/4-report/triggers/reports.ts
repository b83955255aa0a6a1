/** A measurement of triggers as JUnit XML, Markdown and annotations of GitHub Actions. Pure. */
import type { TriggerResult, Triggers } from '../../../../schemas/triggers.ts'
import type { GateResult } from '../gate/judge.ts'
import { command } from '../github.ts'
import { gateTest } from '../junit.ts'
import { suitesXml, type TestCase } from '../junit_xml.ts'
import { table, text } from '../markdown.ts'
import { plural, short } from '../words.ts'
import { confusionText, incompleteText, savingText, triggerHeader, triggerRow, triggerSentences } from './text.ts'

/** A measurement and what it was held against. */
export interface ReportedTriggers {
  triggers: Triggers
  gates: readonly GateResult[]
}

/** One testsuite: a test a gate and a query. A query of which a run has no answer is an error, whatever the others said. */
export function triggersJunit({ triggers, gates }: ReportedTriggers): string {
  const { skill_name: name, results, created_at } = triggers
  const tests = [...gates.map((gate) => gateTest(name, gate)), ...results.map((one) => queryTest(name, one))]
  return suitesXml([{ name, tests, timestamp: created_at, headline: triggerSentences(triggers).join(' ') }])
}

function queryTest(skill: string, result: TriggerResult): TestCase {
  const { query_id, query, query_runs, should_trigger } = result
  return {
    classname: `${skill}.${should_trigger ? 'should trigger' : 'should not trigger'}`,
    name: `${query_id} ${short(query, 120)}`,
    seconds: query_runs.reduce((sum, { duration_ms }) => sum + (duration_ms ?? 0) / 1000, 0),
    end: endOf(result),
  }
}

function endOf({
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
    const message = `${plural(errors + missing, 'run')} without an answer`
    const said = query_runs.flatMap(({ error }) => (error === null ? [] : [`${error.kind}: ${error.message}`]))
    return { kind: 'error', message, text: [...new Set(said), query].join('\n') }
  }
  if (pass) return { kind: 'passed' }
  const message = `triggered in ${triggers} of ${plural(runs, 'run')}, ${should_trigger ? 'should' : 'should not'}`
  return { kind: 'failure', message, text: query }
}

export function triggersMarkdown({ triggers, gates }: ReportedTriggers): string {
  const { skill_name, results, confusions, warnings, saving, stop, complete } = triggers
  const words = { right: 'as it should', wrong: 'WRONG', open: 'not known' }
  const rows = results.map((result) => {
    const { mark, cells } = triggerRow(result)
    return [words[mark], ...cells]
  })
  const said = [
    ...gates.map(({ gate, passed, message }) => `gate ${passed ? 'passed' : 'FAILED'} ${gate}: ${message}`),
    ...confusions.map(confusionText),
    ...warnings,
    ...(saving === null ? [] : [savingText(saving)]),
  ]
  const above = [
    ...(stop === null ? [] : [stop.reason]),
    ...(complete ? [] : [incompleteText(triggers)]),
    ...triggerSentences(triggers),
  ]
  const list = said.map((line) => `- ${text(line)}`)
  return [
    `## ${text(skill_name)}: triggers`,
    '',
    ...above.map(text),
    '',
    table(triggerHeader, rows, 'words'),
    '',
    ...list,
    '',
  ].join('\n')
}

/** A notice with the answer, a warning where it is incomplete, an error for each gate that fails, a warning for each query that is wrong. */
export function triggersGithub({ triggers, gates }: ReportedTriggers): string[] {
  const { skill_name: name, complete, confusions } = triggers
  return [
    command('notice', name, triggerSentences(triggers).join(' ')),
    ...(complete ? [] : [command('warning', name, incompleteText(triggers))]),
    ...gates
      .filter(({ passed }) => !passed)
      .map(({ gate, message }) => command('error', name, `gate failed: ${gate}: ${message}`)),
    ...confusions.map((one) => command('warning', name, confusionText(one))),
  ]
}
