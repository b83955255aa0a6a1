/** Results of eval as JUnit XML, Markdown and annotations of GitHub Actions. Pure. */
import type { EvalCaseResult, EvalResult } from '../../../schemas/eval_result.ts'
import { command } from './github.ts'
import { suitesXml, type TestCase } from './junit_xml.ts'
import { table, text } from './markdown.ts'
import { short } from './words.ts'

/** One testsuite a suite, one test a case. */
export function evalJunit(all: readonly EvalResult[]): string {
  return suitesXml(
    all.map((one) => ({
      name: one.name,
      tests: one.cases.map((each) => testOf(one, each)),
      timestamp: one.started_at,
      headline: headlineOf(one),
    })),
  )
}

function testOf({ name }: EvalResult, one: EvalCaseResult): TestCase {
  const classname = one.target === null ? name : `${name}.${one.target}`
  return { classname, name: one.eval_name, seconds: one.duration_seconds ?? 0, end: endOf(one) }
}

function endOf({ verdict, reason, checks, judge }: EvalCaseResult): TestCase['end'] {
  const message = short(reason ?? '', 300)
  const failed = checks.filter(({ passed }) => !passed).map((check) => `${check.text}: ${check.evidence}`)
  const text = [...failed, ...(judge?.result === 'fail' ? [judge.reason] : [])].join('\n') || message
  switch (verdict) {
    case 'pass':
      return { kind: 'passed' }
    case 'fail':
      return { kind: 'failure', message, text }
    case 'skip':
      return { kind: 'skipped', message, text: message }
  }
}

export function evalMarkdown(all: readonly EvalResult[]): string {
  return all
    .map((one) => {
      const rows = one.cases.map((each) => [
        each.verdict,
        each.eval_name,
        each.duration_seconds === null ? '' : `${each.duration_seconds.toFixed(1)} s`,
        short(each.reason ?? each.warnings.join('; '), 200),
      ])
      return `## ${text(one.name)}\n\n${text(headlineOf(one))}\n\n${table(['', 'case', 'time', 'why'], rows, 'words')}\n`
    })
    .join('\n')
}

/** A notice a suite, an error for each case that failed, a warning for each that could not be judged. */
export function evalGithub(all: readonly EvalResult[]): string[] {
  return all.flatMap((one) => [
    command('notice', one.name, headlineOf(one)),
    ...one.cases.flatMap((each) => {
      if (each.verdict === 'pass') return []
      return [command(each.verdict === 'fail' ? 'error' : 'warning', each.eval_name, short(each.reason ?? '', 500))]
    }),
  ])
}

function headlineOf({ summary: { total, passed, failed, skipped } }: EvalResult): string {
  return `${passed} of ${total} passed, ${failed} failed, ${skipped} skipped`
}
