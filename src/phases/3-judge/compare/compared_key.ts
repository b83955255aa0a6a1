/** What makes two comparisons the same: what was judged, by whom, by what words. */
import type { EngineChoice } from '../../../../schemas/plan.ts'
import { canonicalJson, sha256 } from '../../../base/json.ts'
import { criteriaPromptSource } from './criteria.ts'
import { comparePromptSource } from './prompt.ts'

export interface Compared {
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

/** Hex sha256. The seed is not in it: both orders are judged whatever it is. */
export function comparedKey({ task, judge, A, B }: Compared): string {
  const { prompt, expectedOutput, expectations, inputs } = task
  const given = inputs.map(({ path, sha256: content }) => ({ path, content }))
  const words = [comparePromptSource, criteriaPromptSource]
  return sha256(canonicalJson({ prompt, expectedOutput, expectations, given, judge, words, A, B }))
}
