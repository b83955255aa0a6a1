/** The prompt of a judge, from what it may know of a run: the case's words first, which all its runs share, then the run. */
import { readFileSync } from 'node:fs'
import Handlebars from 'handlebars'
import type { Rubric } from '../../../schemas/rubric.ts'
import { fenceFor, folded } from './fence.ts'
import type { RunView } from './run_view.ts'

const caseSource = readFileSync(new URL('./judge_prompt.md', import.meta.url), 'utf8')
const runSource = readFileSync(new URL('./judge_run.md', import.meta.url), 'utf8')

/** The templates as they are on disk; a part of what a grading is keyed by. */
export const judgePromptSource = `${caseSource}${runSource}`

const caseTemplate = Handlebars.compile(caseSource, { strict: true, noEscape: true })
const runTemplate = Handlebars.compile(runSource, { strict: true, noEscape: true })

/** Holds no arm, no run number, no path: a judge can't prefer what it does not know. */
export interface JudgePromptRequest {
  prompt: string
  expectedOutput: string | null
  /** In the order of their numbers, from 1. */
  expectations: readonly string[]
  /** To be scored besides; absent: none. */
  rubric?: Rubric | undefined
  /** Those that were asked before, with the quotes that stand nowhere (`of`: for what in the rubric); absent: this is the first time. */
  again?: readonly { n: number; of: string | null; quotes: readonly string[] }[]
  room: { hasOutputs: boolean; hasInputs: boolean; hasUserNotes: boolean; hasHarnessNotes: boolean }
  view: RunView
}

/** `shared`: so many characters at its beginning are the same for every run of the case. */
export function judgePrompt(request: JudgePromptRequest): { text: string; shared: number } {
  const { prompt, expectedOutput, expectations, rubric, room, view, again = [] } = request
  const ofCase = caseTemplate({
    prompt,
    promptFence: fenceFor(prompt),
    hasExpectedOutput: expectedOutput !== null,
    expectedOutput: expectedOutput ?? '',
    expectedFence: fenceFor(expectedOutput ?? ''),
    expectations: expectations.map((text, index) => ({ n: index + 1, text: folded(text) })),
    hasExpectations: expectations.length > 0,
    hasRubric: rubric !== undefined,
    ...rubricView(rubric),
  })
  const { hasOutputs, hasInputs, hasUserNotes, hasHarnessNotes } = room
  const ofRun = runTemplate({
    ...{ hasOutputs, hasInputs, hasUserNotes, hasHarnessNotes },
    ...view,
    isAgain: again.length > 0,
    again: again.map(({ n, of, quotes }) => ({
      what: of === null ? `expectation ${n}` : `rubric, ${folded(of)}`,
      quotes: quotes.map(quoted).join(', '),
    })),
  })
  const shared = `${ofCase}\n`
  return { text: `${shared}${ofRun}`, shared: shared.length }
}

/** On one line: a quote may come from what the agent wrote. */
function quoted(quote: string): string {
  return JSON.stringify(quote.length > 300 ? `${quote.slice(0, 300)}…` : quote)
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
