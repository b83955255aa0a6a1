/** Whetstone's own report of a verifier: `{ score, checks: [{ name, passed, message }] }`. */
import * as z from 'zod'
import { verifierTest } from '../../../../../schemas/verifier_test.ts'
import { errorMessage } from '../../../../base/errors/error.ts'
import { checkAs, parseJson } from '../../../../base/json/json.ts'
import { rateTests, readScore, shortenTests, type VerifierResult } from './verifier_result.ts'

const report = z
  .looseObject({ score: z.unknown().optional(), checks: z.array(verifierTest).optional() })
  .refine(({ score, checks }) => score !== undefined || checks !== undefined, 'needs "score" or "checks"')

/** Without a score, each check counts the same. */
export function readJsonReport(text: string): VerifierResult {
  try {
    const { score, checks } = checkAs(report, parseJson(text, 'the report'), 'the report')
    const tests = (checks ?? []).map(({ passed, ...one }) => ({ ...one, end: passed ? 'passed' : 'failed' }) as const)
    if (checks?.length === 0 || score === undefined) return rateTests(tests)
    const rated = readScore(score, '"score" of the report')
    return 'error' in rated || checks === undefined ? rated : { ...rated, tests: shortenTests(checks) }
  } catch (error) {
    return { error: errorMessage(error) }
  }
}
