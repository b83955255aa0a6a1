/** Writes JUnit XML for CI systems: suites of test cases, with all outside text escaped. Pure. */
import { makeVisible } from '../../../base/text/show_control_characters.ts'

export interface TestCase {
  classname: string
  name: string
  seconds: number
  /** People who look after it, as properties; absent: not known. */
  owners?: readonly string[] | undefined
  end: { kind: 'passed' } | { kind: 'failure' | 'error' | 'skipped'; message: string; text: string }
}

/** A suite as a CI system shows it. */
export interface TestSuite {
  name: string
  tests: readonly TestCase[]
  /** ISO 8601. */
  timestamp: string
  /** One line about the suite. */
  headline: string
}

export function suitesXml(suites: readonly TestSuite[]): string {
  const { skipped: _, ...counted } = counts(suites.flatMap(({ tests }) => tests)) // the root has no such attribute
  const attributes = { name: 'whetstone', ...counted }
  return `<?xml version="1.0" encoding="UTF-8"?>\n${tag('testsuites', attributes, suites.map(suiteXml).join(''), 0)}`
}

function suiteXml({ name, tests, timestamp: at, headline }: TestSuite): string {
  const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.exec(at)?.[0]
  const attributes = { name, ...counts(tests), ...(timestamp === undefined ? {} : { timestamp }) }
  const said = tag('system-out', {}, escapeXml(headline), 2)
  return tag('testsuite', attributes, `${tests.map(testXml).join('')}${said}`, 1)
}

function counts(tests: readonly TestCase[]) {
  const of = (kind: string) => tests.filter(({ end }) => end.kind === kind).length
  const time = tests.reduce((sum, { seconds }) => sum + seconds, 0)
  return {
    tests: tests.length,
    failures: of('failure'),
    errors: of('error'),
    skipped: of('skipped'),
    time: time.toFixed(3),
  }
}

function testXml({ classname, name, seconds, end, owners = [] }: TestCase): string {
  const outcome = end.kind === 'passed' ? '' : tag(end.kind, { message: end.message }, escapeXml(end.text), 3)
  const named = owners.map((value) => tag('property', { name: 'owner', value }, '', 4)).join('')
  const inner = `${named === '' ? '' : tag('properties', {}, named, 3)}${outcome}`
  return tag('testcase', { name, classname, time: seconds.toFixed(3) }, inner, 2)
}

function tag(name: string, attributes: Record<string, string | number>, inner: string, depth: number): string {
  const indent = '  '.repeat(depth)
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeXml(String(value))}"`)
  if (inner === '') return `${indent}<${name}${written.join('')}/>\n`
  const isText = !inner.startsWith('  ')
  return `${indent}<${name}${written.join('')}>${isText ? inner : `\n${inner}${indent}`}</${name}>\n`
}

/**
 * Replaces characters that XML 1.0 can't contain, because readers refuse a report with them. No line starts with ::, which GitHub's runner
 * would obey if a log shows the file.
 */
function escapeXml(text: string): string {
  return makeVisible(text)
    .replaceAll(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '\uFFFD')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll(/(?<=^\s*):(?=:)/gm, '&#58;')
}
