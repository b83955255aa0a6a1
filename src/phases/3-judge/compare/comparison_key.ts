/** Computes the key of a comparison: two with the same deliveries, judge and prompts are the same. */
import type { EngineChoice } from '../../../../schemas/plan.ts'
import { canonicalJson, sha256 } from '../../../base/json/json.ts'
import { criteriaPromptSource } from './criteria.ts'
import { comparePromptSource } from './prompt.ts'

export interface ComparisonInputs {
  task: {
    prompt: string
    expectedOutput: string | null
    expectations: readonly string[]
    inputs: readonly { path: string; sha256: string }[]
  }
  judge: EngineChoice
  /** Digests of the deliveries. */
  A: string
  B: string
}

/** Hex sha256. Leaves out the seed, because both orders are always judged. */
export function computeComparisonKey({ task, judge, A, B }: ComparisonInputs): string {
  const { prompt, expectedOutput, expectations, inputs } = task
  const given = inputs.map(({ path, sha256: content }) => ({ path, content }))
  const words = [comparePromptSource, criteriaPromptSource]
  return sha256(canonicalJson({ prompt, expectedOutput, expectations, given, judge, words, A, B }))
}
