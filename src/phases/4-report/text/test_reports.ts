/** The tests of a package as JUnit XML, Markdown and GitHub Actions annotations. Pure. */
import path from 'node:path'
import type { TestCaseResult, TestResult } from '../../../../schemas/test_result.ts'
import { shortenText } from './format.ts'
import { workflowCommand } from './github.ts'
import { suitesXml, type TestCase } from './junit_xml.ts'
import { escapeMarkdown, markdownTable } from './markdown.ts'

/** One testsuite per skill or hook event. */
export function testJunit({ package: folder, started_at, cases }: TestResult): string {
  const name = path.basename(folder)
  const groups = new Map<string, TestCaseResult[]>()
  for (const one of cases) groups.set(one.of, [...(groups.get(one.of) ?? []), one])
  return suitesXml(
    [...groups].map(([of, tests]) => ({
      name: `${name} ${of}`,
      tests: tests.map((one) => ({
        classname: `${name}.${of}`,
        name: namePackageTest(one),
        seconds: sumTestSeconds(one),
        end: toPackageTestEnd(one),
      })),
      timestamp: started_at,
      headline: writeTestHeadline(tests),
    })),
  )
}

function toPackageTestEnd({ verdict, reason, file }: TestCaseResult): TestCase['end'] {
  const message = shortenText(reason ?? '', 300)
  const detail = `${reason ?? ''}\n${file}`
  switch (verdict) {
    case 'pass':
      return { kind: 'passed' }
    case 'fail':
      return { kind: 'failure', message, text: detail }
    case 'error':
      return { kind: 'error', message, text: detail }
  }
}

export function testMarkdown({ package: folder, cases, warnings }: TestResult): string {
  const rows = cases.map((one) => [
    one.verdict,
    one.of,
    namePackageTest(one),
    `${sumTestSeconds(one).toFixed(2)} s`,
    shortenText([one.reason, ...one.warnings].filter((part) => part !== null).join('; '), 200),
  ])
  const said = warnings.map((one) => `- ${escapeMarkdown(one)}\n`).join('')
  const drawn = markdownTable(['', 'of', 'test', 'time', 'why'], rows, 'words')
  return `## ${escapeMarkdown(path.basename(folder))}\n\n${writeTestHeadline(cases)}\n\n${drawn}\n${said === '' ? '' : `\n${said}`}`
}

/** A notice for the whole package, an error for each test that failed or could not run. */
export function testGithub({ package: folder, cases }: TestResult): string[] {
  return [
    workflowCommand('notice', path.basename(folder), writeTestHeadline(cases)),
    ...cases.flatMap((one) =>
      one.verdict === 'pass'
        ? []
        : [workflowCommand('error', `${one.of} ${namePackageTest(one)}`, shortenText(one.reason ?? '', 500))],
    ),
  ]
}

function namePackageTest(one: TestCaseResult): string {
  return one.name === one.case ? one.case : `${one.case}: ${one.name}`
}

function sumTestSeconds({ runs }: TestCaseResult): number {
  return runs[0]?.duration_seconds ?? 0
}

function writeTestHeadline(cases: readonly TestCaseResult[]): string {
  const count = (verdict: TestCaseResult['verdict']) => cases.filter((one) => one.verdict === verdict).length
  return `${count('pass')} of ${cases.length} passed, ${count('fail')} failed, ${count('error')} could not be run`
}
