/** What a verifier reported, in the same form for every format. */
import type { VerifierTest } from '../../../../../schemas/verifier_test.ts'
import { capText } from '../inputs/check_input.ts'

/**
 * `score`: 0 to 1. `error`: the verifier could not run its tests, so the run has no verdict. `notLoaded`: no file of tests
 * could be loaded, or none was reported; absent: another reason.
 */
export type VerifierResult =
  | { score: number; tests?: VerifierTest[] }
  | { error: string; notLoaded?: readonly ReportedTest[] }

/** Reads the text of a report, or the output of the verifier. Never rejects. */
export type ReadResult = (text: string) => VerifierResult | Promise<VerifierResult>

const longestName = 200
const mostTests = 200

/** One test as a report lists it. `skipped` did not run; `not_loaded`: its file could not be loaded. */
export interface ReportedTest {
  name: string
  end: 'passed' | 'failed' | 'skipped' | 'not_loaded'
  message?: string | undefined
}

/** Rates the tests that ran: each counts the same, and a file that could not be loaded is a failed test if others ran. */
export function rateTests(reported: readonly ReportedTest[]): VerifierResult {
  const counted = reported.filter(({ end }) => end !== 'skipped')
  const broken = counted.filter(({ end }) => end === 'not_loaded')
  if (counted.length === 0) {
    const error = `the verifier ran no test (${describeNone(reported.length)})`
    return reported.length === 0 ? { error, notLoaded: [] } : { error }
  }
  if (broken.length === counted.length) {
    const why = broken[0]?.message === undefined ? '' : `: ${capText(broken[0].message)}`
    return { error: `the verifier could not load its tests${why}`, notLoaded: broken }
  }
  const passed = counted.filter(({ end }) => end === 'passed').length
  return { score: passed / counted.length, tests: shortenTests(counted.map(toVerifierTest)) }
}

/** Bounds what a report can add to a grading. */
export function shortenTests(tests: readonly VerifierTest[]): VerifierTest[] {
  return tests.slice(0, mostTests).map(({ name, passed, message }) => ({
    name: capText(name, longestName),
    passed,
    ...(message !== undefined && message.trim() !== '' && { message: capText(message.trim()) }),
  }))
}

/** The score, if it is a number from 0 to 1. */
export function readScore(value: unknown, name: string): VerifierResult {
  const isScore = typeof value === 'number' && value >= 0 && value <= 1
  return isScore ? { score: value } : { error: `${name} is ${capText(String(value), 50)}, not a number from 0 to 1` }
}

function describeNone(all: number): string {
  return all === 0 ? 'its report lists none' : `all ${all} were skipped`
}

export function toVerifierTest({ name, end, message }: ReportedTest): VerifierTest {
  const passed = end === 'passed'
  return { name, passed, ...(!passed && message !== undefined && { message }) }
}

/** Whether a message says that a file of tests could not be loaded, in the words of pytest and Jest. */
export function isLoadFailure(message: string | undefined): boolean {
  return /^(?:\s*collection failure|.*Test suite failed to run)/.test(message ?? '')
}
