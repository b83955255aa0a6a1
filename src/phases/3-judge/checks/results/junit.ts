/** A JUnit XML report, as pytest, Jest, Maven, Go and others write it. */
import type { X2jOptions } from 'fast-xml-parser'
import * as z from 'zod'
import { errorMessage } from '../../../../base/errors/error.ts'
import { checkAs } from '../../../../base/json/json.ts'
import { isLoadFailure, type ReportedTest, rateTests, type VerifierResult } from './verifier_result.ts'

const parserOptions: X2jOptions = {
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  parseTagValue: false,
  parseAttributeValue: false,
  alwaysCreateTextNode: true,
  isArray: (name) => ['testsuite', 'testcase', 'failure', 'error', 'skipped'].includes(name),
}

const outcomes = z.array(z.object({ '@message': z.string().optional(), '#text': z.string() })).default([])
const testCase = z.object({
  '@name': z.string().default('a test without a name'),
  '@classname': z.string().default(''),
  failure: outcomes,
  error: outcomes,
  skipped: outcomes,
})
const testSuite = z.object({
  testcase: z.array(testCase).default([]),
  get testsuite() {
    return z.array(testSuite).default([])
  },
})
const report = z.union([z.object({ testsuites: testSuite }), z.object({ testsuite: z.array(testSuite) })])

export async function readJunit(text: string): Promise<VerifierResult> {
  try {
    const { XMLParser, XMLValidator } = await import('fast-xml-parser')
    const valid = XMLValidator.validate(text)
    if (valid !== true) return { error: `the JUnit report is not valid XML (line ${valid.err.line}: ${valid.err.msg})` }
    const parsed: unknown = new XMLParser(parserOptions).parse(text)
    const root = checkAs(report, parsed, 'the JUnit report')
    const suites = 'testsuites' in root ? [root.testsuites] : root.testsuite
    return rateTests(suites.flatMap(listTests))
  } catch (error) {
    return { error: errorMessage(error) }
  }
}

function listTests({ testcase, testsuite }: z.infer<typeof testSuite>): ReportedTest[] {
  return [...testcase.map(toReportedTest), ...testsuite.flatMap(listTests)]
}

function toReportedTest(one: z.infer<typeof testCase>): ReportedTest {
  const { '@name': title, '@classname': group, failure, error, skipped } = one
  const name = group === '' ? title : `${group} ${title}`
  const [first] = [...error, ...failure]
  if (first === undefined) return { name, end: skipped.length === 0 ? 'passed' : 'skipped' }
  const message = first['@message'] || first['#text']
  const isBroken = isLoadFailure(message) || isLoadFailure(title)
  if (!isBroken) return { name, end: 'failed', message }
  return { name, end: 'not_loaded', message: [message, first['#text']].filter(Boolean).join(': ') }
}
