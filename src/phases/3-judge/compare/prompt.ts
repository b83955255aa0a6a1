/** Builds the prompt of a comparison. Its types keep it blind: it accepts only blind text, and no name or path. */
import { readFileSync } from 'node:fs'
import Handlebars from 'handlebars'
import type { Criteria } from '../../../../schemas/comparison.ts'
import { buildCodeFence, foldLines } from '../../../base/text/fence.ts'
import { shownLabels } from './answer.ts'
import type { BlindText } from './blind.ts'
import type { ShownDelivery } from './blind_folder.ts'

/** The template on disk, which is part of a comparison's key. */
export const comparePromptSource = readFileSync(new URL('./compare_prompt.md', import.meta.url), 'utf8')
const template = Handlebars.compile(comparePromptSource, { strict: true, noEscape: true })

/** The task that both agents got. */
export interface BlindTask {
  prompt: BlindText
  expectedOutput: BlindText | null
  /** Numbered from 1, in order. */
  expectations: readonly BlindText[]
}

export interface ComparePromptRequest {
  task: BlindTask
  criteria: Criteria
  shown: readonly [ShownDelivery, ShownDelivery]
  hasInputs: boolean
}

export function comparePrompt({ task, criteria, shown, hasInputs }: ComparePromptRequest): string {
  const { prompt, expectedOutput, expectations } = task
  return template({
    sides: shown.map((side, index) => ({ label: shownLabels[index], ...side })),
    hasInputs,
    prompt,
    promptFence: buildCodeFence(prompt),
    hasExpectedOutput: expectedOutput !== null,
    expectedOutput: expectedOutput ?? '',
    expectedFence: buildCodeFence(expectedOutput ?? ''),
    content: criteria.content,
    structure: criteria.structure,
    expectations:
      expectations.length > 0 && expectations.map((text, index) => ({ n: index + 1, text: foldLines(text) })),
  })
}
