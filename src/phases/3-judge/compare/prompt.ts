/** The request of a comparison. It is blind by its type: it takes blind text and the look of a room, no name and no path. */
import { readFileSync } from 'node:fs'
import Handlebars from 'handlebars'
import type { Criteria } from '../../../../schemas/comparison.ts'
import { fenceFor, folded } from '../fence.ts'
import { shownLabels } from './answer.ts'
import type { BlindText } from './blind.ts'
import type { Shown } from './sides.ts'

/** The template as it is on disk; a part of what a comparison is keyed by. */
export const comparePromptSource = readFileSync(new URL('./compare_prompt.md', import.meta.url), 'utf8')
const template = Handlebars.compile(comparePromptSource, { strict: true, noEscape: true })

/** The task as both agents got it. */
export interface BlindTask {
  prompt: BlindText
  expectedOutput: BlindText | null
  /** In the order of their numbers, from 1. */
  expectations: readonly BlindText[]
}

export interface ComparePromptRequest {
  task: BlindTask
  criteria: Criteria
  shown: readonly [Shown, Shown]
  hasInputs: boolean
}

export function comparePrompt({ task, criteria, shown, hasInputs }: ComparePromptRequest): string {
  const { prompt, expectedOutput, expectations } = task
  return template({
    sides: shown.map((side, index) => ({ label: shownLabels[index], ...side })),
    hasInputs,
    prompt,
    promptFence: fenceFor(prompt),
    hasExpectedOutput: expectedOutput !== null,
    expectedOutput: expectedOutput ?? '',
    expectedFence: fenceFor(expectedOutput ?? ''),
    content: criteria.content,
    structure: criteria.structure,
    expectations: expectations.length > 0 && expectations.map((text, index) => ({ n: index + 1, text: folded(text) })),
  })
}
