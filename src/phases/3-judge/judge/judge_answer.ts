/** Schema of a judge's answer, its mistakes, and the verdict on each expectation. */
import * as z from 'zod'
import type { GoldenScores } from '../../../../schemas/golden.ts'
import type { GradedExpectation } from '../../../../schemas/grading.ts'
import type { RubricResult } from '../../../../schemas/rubric.ts'
import { boundedText } from './answer_bounds.ts'

const verdict = z.object({
  n: z.number().describe('the number of the expectation'),
  passed: z.boolean(),
  evidence: z.string().catch('').describe('a literal quote and where it stands'),
})

const list = z.array(z.string()).default([]).catch([])
const noNotes = { uncertainties: [], needs_review: [], workarounds: [] }

/** Only the verdicts are required: a mistake in other parts drops that part, not the verdicts. */
export const judgeAnswer = z.object({
  verdicts: z.array(verdict),
  rubric: z
    .object({
      scores: z.array(
        z.object({
          dimension: z.string(),
          score: z.number().describe('a whole number from 1 to 5'),
          justification: z.string().catch('').describe('why, with what was seen'),
        }),
      ),
      hard_fails: z
        .array(z.object({ n: z.number().describe('its number'), evidence: z.string().catch('') }))
        .default([])
        .describe('those that occurred'),
    })
    .nullable()
    .default(null)
    .catch(null)
    .describe('null where no rubric is asked for'),
  claims: z
    .array(
      z.object({
        claim: z.string(),
        type: z.string().describe('factual, process or quality'),
        verified: z.boolean(),
        evidence: z.string(),
      }),
    )
    .default([])
    .catch([]),
  user_notes_summary: z
    .object({ uncertainties: list, needs_review: list, workarounds: list })
    .default(noNotes)
    .catch(noNotes),
  eval_feedback: z
    .object({
      suggestions: z
        .array(z.object({ assertion: z.string().nullish(), reason: z.string() }))
        .default([])
        .catch([]),
      overall: z.string().default('').catch(''),
    })
    .nullable()
    .default(null)
    .catch(null)
    .describe('null when nothing is worth raising'),
})

export type JudgeAnswer = z.infer<typeof judgeAnswer>

/** A verdict on one expectation (or the rubric) with the result of verifying its quotes, as in grading.json; or why there is none. */
export type JudgeVerdict =
  | ({ passed: boolean; evidence: string; rubric?: RubricResult; golden?: GoldenScores } & VerificationFields)
  | { error: string }

type VerificationFields = Pick<
  GradedExpectation,
  'evidence_verified' | 'evidence_at' | 'evidence_flag' | 'votes' | 'warning'
>

/** The verdicts on the expectations 1 to `count`, in order; ignores other numbers. */
export function readVerdicts(answer: JudgeAnswer, count: number): JudgeVerdict[] {
  return Array.from({ length: count }, (_, index) => readVerdictNumber(answer, index + 1))
}

function readVerdictNumber(answer: JudgeAnswer, n: number): JudgeVerdict {
  const [first, ...more] = answer.verdicts.filter((one) => one.n === n)
  if (first === undefined) return { error: 'the judge gave no verdict' }
  if (more.some((one) => one.passed !== first.passed)) return { error: 'the judge gave verdicts that contradict' }
  const evidence = [first, ...more].map((one) => one.evidence.trim()).find((text) => text !== '')
  return evidence === undefined
    ? { error: 'the judge gave a verdict without evidence' }
    : { passed: first.passed, evidence: boundedText(evidence) }
}

/** What the judge has to fix, in one line; null: every expectation has its verdict. */
export function findMissingVerdicts(answer: JudgeAnswer, count: number): string | null {
  const wrong = readVerdicts(answer, count).flatMap((one, index) =>
    'error' in one ? [`expectation ${index + 1}: ${one.error}`] : [],
  )
  return wrong.length === 0 ? null : `each expectation needs one verdict with evidence; ${wrong.join('; ')}`
}
