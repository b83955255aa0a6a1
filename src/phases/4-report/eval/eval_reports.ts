/** Results of eval as JUnit XML, Markdown and GitHub Actions annotations. Pure. */
import type { EvalCaseResult, EvalResult } from '../../../../schemas/eval_result.ts'
import { suspiciousCases } from '../judge/suspicious_runs.ts'
import { shortenText } from '../text/format.ts'
import { workflowCommand } from '../text/github.ts'
import { suitesXml, type TestCase } from '../text/junit_xml.ts'
import { escapeMarkdown, markdownTable } from '../text/markdown.ts'
import { quarantineSentence } from '../text/selected_cases.ts'

/** One testsuite per suite, one test per case. */
export function evalJunit(all: readonly EvalResult[]): string {
  return suitesXml(
    all.map((one) => ({
      name: one.name,
      tests: one.cases.map((each) => toEvalTestCase(one, each)),
      timestamp: one.started_at,
      headline: writeEvalHeadline(one),
    })),
  )
}

function toEvalTestCase({ name }: EvalResult, one: EvalCaseResult): TestCase {
  const classname = one.target === null ? name : `${name}.${one.target}`
  return {
    classname,
    name: one.eval_name,
    seconds: one.duration_seconds ?? 0,
    end: toCountedEnd(one),
    owners: one.owners,
  }
}

/** A CI system would count the failure of a quarantined case. */
function toCountedEnd(one: EvalCaseResult): TestCase['end'] {
  const end = toEvalTestEnd(one)
  if (one.quarantine === undefined || end.kind === 'passed') return end
  return { ...end, kind: 'skipped', message: `quarantined: ${end.message}` }
}

function toEvalTestEnd({ verdict, reason, checks, judge }: EvalCaseResult): TestCase['end'] {
  const message = shortenText(reason ?? '', 300)
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
      const hasOwners = one.cases.some(({ owners }) => owners !== undefined)
      const header = ['', 'case', 'time', 'why', ...(hasOwners ? ['owners'] : [])]
      const rows = one.cases.map((each) => [
        each.quarantine === undefined ? each.verdict : `${each.verdict} (quarantined)`,
        each.eval_name,
        each.duration_seconds === null ? '' : `${each.duration_seconds.toFixed(1)} s`,
        shortenText(each.reason ?? each.warnings.join('; '), 200),
        ...(hasOwners ? [each.owners?.join(', ') ?? ''] : []),
      ])
      return `## ${escapeMarkdown(one.name)}\n\n${escapeMarkdown(writeEvalHeadline(one))}\n\n${markdownTable(header, rows, 'words')}\n`
    })
    .join('\n')
}

/** A notice for each suite, an error for each failed case, a warning for each skipped case. */
export function evalGithub(all: readonly EvalResult[]): string[] {
  return all.flatMap((one) => [
    workflowCommand('notice', one.name, writeEvalHeadline(one)),
    ...one.cases.flatMap((each) => {
      if (each.verdict === 'pass') return []
      return [
        workflowCommand(
          each.verdict === 'fail' && each.quarantine === undefined ? 'error' : 'warning',
          each.eval_name,
          shortenText(each.reason ?? '', 500),
        ),
      ]
    }),
  ])
}

function writeEvalHeadline({ summary: { total, passed, failed, skipped }, cases }: EvalResult): string {
  const counts = `${passed} of ${total} passed, ${failed} failed, ${skipped} skipped`
  const more = [quarantineSentence(cases), suspiciousCases(cases)].filter((one) => one !== null)
  return [counts, ...more].join('. ')
}
