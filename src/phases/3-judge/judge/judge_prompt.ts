/** Builds a judge's prompt: first the case's part, which all its runs share, then the run's. */
import { readFileSync } from 'node:fs'
import Handlebars from 'handlebars'
import type { SimulatedUser } from '../../../../schemas/conversation.ts'
import type { Rubric } from '../../../../schemas/rubric.ts'
import { buildCodeFence, foldLines } from '../../../base/text/fence.ts'
import type { JudgeTempDir } from './judge_folder.ts'
import type { JudgeRunView } from './run_excerpt.ts'

const caseSource = readFileSync(new URL('./judge_prompt.md', import.meta.url), 'utf8')
const runSource = readFileSync(new URL('./judge_run.md', import.meta.url), 'utf8')

/** The templates on disk, which are part of a grading's key. */
export const judgePromptSource = `${caseSource}${runSource}`

const caseTemplate = Handlebars.compile(caseSource, { strict: true, noEscape: true })
const runTemplate = Handlebars.compile(runSource, { strict: true, noEscape: true })

/** Contains no configuration, run number or path, so that the judge cannot prefer one. */
export interface JudgePromptRequest {
  prompt: string
  expectedOutput: string | null
  /** Numbered from 1, in order. */
  expectations: readonly string[]
  /** Which message's answer each is about, in the same order; absent: none is about one. */
  turns?: readonly (number | undefined)[] | undefined
  /** Whether the case has several messages of the user; absent: it has not. */
  isConversation?: boolean | undefined
  /** The user that a model played; absent: none. */
  user?: SimulatedUser | undefined
  /** Also to be scored; absent: none. */
  rubric?: Rubric | undefined
  /** Items to ask again, with the quotes that were not found (`of`: part of the rubric); absent: first question. */
  again?: readonly { n: number; of: string | null; quotes: readonly string[] }[]
  tempDir: Pick<JudgeTempDir, 'hasOutputs' | 'hasInputs' | 'hasTexts' | 'hasUserNotes' | 'hasHarnessNotes'>
  view: JudgeRunView
}

/** A task for a template, with fences that its texts can't close. */
export function fenceTask({ prompt, expectedOutput }: Pick<JudgePromptRequest, 'prompt' | 'expectedOutput'>) {
  return {
    prompt,
    promptFence: buildCodeFence(prompt),
    hasExpectedOutput: expectedOutput !== null,
    expectedOutput: expectedOutput ?? '',
    expectedFence: buildCodeFence(expectedOutput ?? ''),
  }
}

/** `shared`: number of leading characters that are the same for every run of the case. */
export function judgePrompt(request: JudgePromptRequest): { text: string; shared: number } {
  const { prompt, expectedOutput, expectations, rubric, tempDir, view, again = [], turns = [] } = request
  const userKnows = request.user === undefined ? '' : describeUser(request.user)
  const ofCase = caseTemplate({
    ...fenceTask({ prompt, expectedOutput }),
    isConversation: request.isConversation === true,
    userKnows,
    userFence: userKnows === '' ? '' : buildCodeFence(userKnows),
    expectations: expectations.map((text, index) => ({
      ...{ n: index + 1, text: foldLines(text), turn: turns[index] ?? null },
    })),
    hasExpectations: expectations.length > 0,
    hasRubric: rubric !== undefined,
    ...rubricView(rubric),
  })
  const { hasOutputs, hasInputs, hasTexts, hasUserNotes, hasHarnessNotes } = tempDir
  const ofRun = runTemplate({
    ...{ hasOutputs, hasInputs, hasTexts, hasUserNotes, hasHarnessNotes },
    ...view,
    isAgain: again.length > 0,
    again: again.map(({ n, of, quotes }) => ({
      what: of === null ? `expectation ${n}` : `rubric, ${foldLines(of)}`,
      quotes: quotes.map(quoteOnOneLine).join(', '),
    })),
  })
  const shared = `${ofCase}\n`
  return { text: `${shared}${ofRun}`, shared: shared.length }
}

/** What the user wants and knows. How it writes and when it gives up decides no expectation. */
function describeUser({ goal, facts = [] }: SimulatedUser): string {
  return [`It wants: ${foldLines(goal)}`, ...facts.map((fact) => `It knows: ${foldLines(fact)}`)].join('\n')
}

/** Quotes on one line, because the text may come from the agent. */
function quoteOnOneLine(quote: string): string {
  return JSON.stringify(quote.length > 300 ? `${quote.slice(0, 300)}…` : quote)
}

/** Without weights and threshold, because a judge that knows them may score for a pass. */
function rubricView(rubric: Rubric | undefined) {
  const dimensions = (rubric?.dimensions ?? []).map(({ name, description, anchors = {} }) => ({
    name,
    description: foldLines(description ?? ''),
    anchors: Object.entries(anchors).map(([score, text = '']) => ({ score, text: foldLines(text) })),
  }))
  const hardFails = (rubric?.hard_fails ?? []).map((text, index) => ({ n: index + 1, text: foldLines(text) }))
  return { dimensions, hardFails, hasHardFails: hardFails.length > 0 }
}
