/** Report texts for benchmarks and evals. */
import type { EvalCaseResult, EvalResult } from '../../../schemas/eval_result.ts'
import { jsonText } from '../../base/json/json_text.ts'
import { suspiciousCases } from '../../phases/4-report/judge/suspicious_runs.ts'
import { shortenText } from '../../phases/4-report/text/format.ts'
import { toGithub, workflowCommand } from '../../phases/4-report/text/github.ts'
import { type ReportedBenchmark, suitesXml, type TestCase, toJunit } from '../../phases/4-report/text/junit_report.ts'
import { escapeMarkdown, markdownTable, toMarkdown } from '../../phases/4-report/text/markdown.ts'
import { quarantineSentence } from '../../phases/4-report/text/selected_cases.ts'
import type { ReportTexts } from './reporters.ts'

const ofBenchmarks: ReportTexts<readonly ReportedBenchmark[]> = {
  junit: toJunit,
  markdown: (all) => all.map(({ benchmark }) => toMarkdown(benchmark)).join('\n'),
  json: (all) => json(all.map(({ name, benchmark, gates }) => ({ name, gates, benchmark }))),
  github: toGithub,
}

const ofEvals: ReportTexts<readonly EvalResult[]> = {
  junit: evalJunit,
  markdown: evalMarkdown,
  json,
  github: evalGithub,
}

export const reportTexts = { ofBenchmarks, ofEvals }

function json(value: unknown): string {
  return `${jsonText(value, 2)}\n`
}

/** One testsuite per suite, one test per case. */
function evalJunit(all: readonly EvalResult[]): string {
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

function evalMarkdown(all: readonly EvalResult[]): string {
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
function evalGithub(all: readonly EvalResult[]): string[] {
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
