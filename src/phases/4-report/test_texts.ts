/** The tests of a package as JUnit XML, Markdown and annotations of GitHub Actions. Pure. */
import path from 'node:path'
import type { TestCaseResult, TestResult } from '../../../schemas/test_result.ts'
import { command } from './github.ts'
import { suitesXml, type TestCase } from './junit_xml.ts'
import { table, text } from './markdown.ts'
import { short } from './words.ts'

/** One testsuite a skill or event of hooks. */
export function testJunit({ package: folder, started_at, cases }: TestResult): string {
  const name = path.basename(folder)
  const groups = new Map<string, TestCaseResult[]>()
  for (const one of cases) groups.set(one.of, [...(groups.get(one.of) ?? []), one])
  return suitesXml(
    [...groups].map(([of, tests]) => ({
      name: `${name} ${of}`,
      tests: tests.map((one) => ({
        classname: `${name}.${of}`,
        name: nameOf(one),
        seconds: secondsOf(one),
        end: endOf(one),
      })),
      timestamp: started_at,
      headline: headlineOf(tests),
    })),
  )
}

function endOf({ verdict, reason, file }: TestCaseResult): TestCase['end'] {
  const message = short(reason ?? '', 300)
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
    nameOf(one),
    `${secondsOf(one).toFixed(2)} s`,
    short([one.reason, ...one.warnings].filter((part) => part !== null).join('; '), 200),
  ])
  const said = warnings.map((one) => `- ${text(one)}\n`).join('')
  const drawn = table(['', 'of', 'test', 'time', 'why'], rows, 'words')
  return `## ${text(path.basename(folder))}\n\n${headlineOf(cases)}\n\n${drawn}\n${said === '' ? '' : `\n${said}`}`
}

/** A notice over all, an error for each test that failed or could not be run. */
export function testGithub({ package: folder, cases }: TestResult): string[] {
  return [
    command('notice', path.basename(folder), headlineOf(cases)),
    ...cases.flatMap((one) =>
      one.verdict === 'pass' ? [] : [command('error', `${one.of} ${nameOf(one)}`, short(one.reason ?? '', 500))],
    ),
  ]
}

function nameOf(one: TestCaseResult): string {
  return one.name === one.case ? one.case : `${one.case}: ${one.name}`
}

function secondsOf({ runs }: TestCaseResult): number {
  return runs[0]?.duration_seconds ?? 0
}

function headlineOf(cases: readonly TestCaseResult[]): string {
  const count = (verdict: TestCaseResult['verdict']) => cases.filter((one) => one.verdict === verdict).length
  return `${count('pass')} of ${cases.length} passed, ${count('fail')} failed, ${count('error')} could not be run`
}
