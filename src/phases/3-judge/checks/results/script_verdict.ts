/** The verdict that a script prints as JSON: one object, or a list with one for each thing that it checked. */
import * as z from 'zod'
import type { VerifierTest } from '../../../../../schemas/verifier_test.ts'
import { verifierTest } from '../../../../../schemas/verifier_test.ts'
import { errorMessage } from '../../../../base/errors/error.ts'
import { checkAs, tryParseJson } from '../../../../base/json/json.ts'
import type { CheckVerdict } from '../inputs/check_input.ts'
import { capText } from '../inputs/evidence.ts'
import { decideByScore, describeScore } from '../verifier/verifier_evidence.ts'
import { rateTests, shortenTests } from './verifier_result.ts'

const score = z.number().min(0).max(1)
const single = z
  .looseObject({
    passed: z.boolean().optional(),
    score: score.optional(),
    evidence: z.string().optional(),
    checks: z.array(verifierTest).min(1).optional(),
    error: z.string().min(1).optional(),
  })
  .refine(
    (one) => [one.passed, one.score, one.checks, one.error].some((value) => value !== undefined),
    'needs "passed", "score", "checks" or "error"',
  )
const listed = z.looseObject({
  name: z.string(),
  passed: z.boolean(),
  score: score.optional(),
  message: z.string().optional(),
  evidence: z.string().optional(),
})

/** Reads all of stdout, or else its last line. */
export function readScriptVerdict(stdout: string, passAt: number | undefined): CheckVerdict {
  const text = stdout.trim()
  const value = tryParseJson(text) ?? tryParseJson(text.split('\n').at(-1) ?? '')
  if (value === undefined) {
    return {
      error: `the script printed no JSON as its last line: ${text === '' ? 'no output' : capText(text.slice(-300))}`,
    }
  }
  try {
    return Array.isArray(value)
      ? readList(checkAs(z.array(listed).min(1), value, 'the verdict of the script'), passAt)
      : readSingle(checkAs(single, value, 'the verdict of the script'), passAt)
  } catch (error) {
    return { error: errorMessage(error) }
  }
}

function readSingle(given: z.infer<typeof single>, passAt: number | undefined): CheckVerdict {
  if (given.error !== undefined) return { error: `the script says: ${capText(given.error)}` }
  const { checks, passed } = given
  const tests = checks && shortenTests(checks)
  const rated = given.score ?? (passed === undefined ? shareOfPassed(checks ?? []) : undefined)
  if (rated === undefined) {
    const evidence = describeEvidence(given.evidence, passed === true ? 'Passed' : 'Failed', tests)
    return { passed: passed === true, evidence, ...(tests && { tests }) }
  }
  const decided = decideByScore({ score: rated, tests }, passAt)
  const evidence = describeEvidence(given.evidence, decided.evidence, undefined)
  return { ...decided, ...(passed !== undefined && { passed }), evidence }
}

function readList(list: readonly z.infer<typeof listed>[], passAt: number | undefined): CheckVerdict {
  const scores = list.map((one) => one.score ?? (one.passed ? 1 : 0))
  const tests = list.map(({ name, passed, message, evidence }) => ({ name, passed, message: message ?? evidence }))
  const mean = scores.reduce((sum, one) => sum + one, 0) / list.length
  return decideByScore({ score: mean, tests: shortenTests(tests) }, passAt)
}

function shareOfPassed(checks: readonly VerifierTest[]): number | undefined {
  const rated = rateTests(checks.map(({ name, passed }) => ({ name, end: passed ? 'passed' : 'failed' })))
  return 'error' in rated ? undefined : rated.score
}

function describeEvidence(own: string | undefined, facts: string, tests: readonly VerifierTest[] | undefined): string {
  const counts = tests === undefined ? facts : describeScore(shareOfPassed(tests) ?? 0, tests)
  return own === undefined || own.trim() === '' ? counts : `${capText(own.trim())} (${counts})`
}
