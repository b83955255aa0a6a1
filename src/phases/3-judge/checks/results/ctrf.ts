/** A report in the Common Test Report Format: https://ctrf.io. */
import * as z from 'zod'
import { errorMessage } from '../../../../base/errors/error.ts'
import { checkAs, parseJson } from '../../../../base/json/json.ts'
import { isLoadFailure, type ReportedTest, rateTests, type VerifierResult } from './verifier_result.ts'

const report = z.looseObject({
  results: z.looseObject({
    tests: z.array(
      z.looseObject({
        name: z.string(),
        status: z.enum(['passed', 'failed', 'skipped', 'pending', 'other']),
        message: z.string().nullish(),
        trace: z.string().nullish(),
      }),
    ),
  }),
})

export function readCtrf(text: string): VerifierResult {
  try {
    const { results } = checkAs(report, parseJson(text, 'the CTRF report'), 'the CTRF report')
    return rateTests(
      results.tests.map(({ name, status, message, trace }) => {
        const why = message ?? trace ?? undefined
        return { name, end: readStatus(status, why), message: why }
      }),
    )
  } catch (error) {
    return { error: errorMessage(error) }
  }
}

/** `other` fits no status of the format, so it did not pass. */
function readStatus(
  status: z.infer<typeof report>['results']['tests'][number]['status'],
  message: string | undefined,
): ReportedTest['end'] {
  switch (status) {
    case 'passed':
      return 'passed'
    case 'skipped':
    case 'pending':
      return 'skipped'
    case 'failed':
    case 'other':
      return isLoadFailure(message) ? 'not_loaded' : 'failed'
  }
}
