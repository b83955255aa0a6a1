/** The prompt of a judge, from what it may know of a run: the case's words and what lies in its room. */
import { readFileSync } from 'node:fs'
import Handlebars from 'handlebars'
import type { Rubric } from '../../../schemas/rubric.ts'
import { fenceFor, folded } from './fence.ts'

/** The template as it is on disk; a part of what a grading is keyed by. */
export const judgePromptSource = readFileSync(new URL('./judge_prompt.md', import.meta.url), 'utf8')

const template = Handlebars.compile(judgePromptSource, { strict: true, noEscape: true })

/** Holds no arm, no run number, no path: a judge can't prefer what it does not know. */
export interface JudgePromptRequest {
  prompt: string
  expectedOutput: string | null
  /** In the order of their numbers, from 1. */
  expectations: readonly string[]
  /** To be scored besides; absent: none. */
  rubric?: Rubric | undefined
  /** Those that were asked before, with the quotes that stand nowhere; absent: this is the first time. */
  again?: readonly { n: number; missing: readonly string[] }[]
  room: { hasOutputs: boolean; hasInputs: boolean; hasUserNotes: boolean; hasHarnessNotes: boolean }
}

export function judgePrompt(request: JudgePromptRequest): string {
  const { prompt, expectedOutput, expectations, rubric, room, again = [] } = request
  return template({
    ...room,
    prompt,
    promptFence: fenceFor(prompt),
    hasExpectedOutput: expectedOutput !== null,
    expectedOutput: expectedOutput ?? '',
    expectedFence: fenceFor(expectedOutput ?? ''),
    expectations: expectations.map((text, index) => ({ n: index + 1, text: folded(text) })),
    hasExpectations: expectations.length > 0,
    hasRubric: rubric !== undefined,
    ...rubricView(rubric),
    isAgain: again.length > 0,
    again: again.map(({ n, missing }) => ({ n, quotes: missing.map((quote) => JSON.stringify(quote)).join(', ') })),
  })
}

/** Neither weights nor threshold: a judge that knows what passes scores for it. */
function rubricView(rubric: Rubric | undefined) {
  const dimensions = (rubric?.dimensions ?? []).map(({ name, description, anchors = {} }) => ({
    name,
    description: folded(description ?? ''),
    anchors: Object.entries(anchors).map(([score, text = '']) => ({ score, text: folded(text) })),
  }))
  const hardFails = (rubric?.hard_fails ?? []).map((text, index) => ({ n: index + 1, text: folded(text) }))
  return { dimensions, hardFails, hasHardFails: hardFails.length > 0 }
}
