/** Builds the prompt that asks a model to phrase the expectations of mined cases, and checks its answer. Pure. */
import { readFileSync } from 'node:fs'
import Handlebars from 'handlebars'
import * as z from 'zod'
import type { EvalCase } from '../../../../schemas/evals.ts'

const source = readFileSync(new URL('./phrase_prompt.md', import.meta.url), 'utf8')
const template = Handlebars.compile(source, { strict: true, noEscape: true })

export const phrasedAnswer = z.object({
  cases: z.array(
    z.object({ id: z.number().int(), name: z.string().min(1), expectations: z.array(z.string().min(1)).min(1) }),
  ),
})

export type PhrasedCases = z.infer<typeof phrasedAnswer>['cases']

const longestPrompt = 3000

/** `fenceFor` returns a fence that the tasks cannot close. */
export function buildPhrasePrompt(cases: readonly EvalCase[], fenceFor: (text: string) => string): string {
  const tasks = cases
    .map(({ id, prompt, expectations = [], expected_output = '' }) =>
      JSON.stringify({
        id,
        prompt: prompt.slice(0, longestPrompt),
        said_later: expectations,
        accepted: expected_output,
      }),
    )
    .join('\n')
  return template({ tasks, fence: fenceFor(tasks) })
}

/** The first problem of an answer; null: none. */
export function findPhrasingProblem(phrased: PhrasedCases, cases: readonly EvalCase[]): string | null {
  const missing = cases.filter(({ id }) => !phrased.some((one) => one.id === id)).map(({ id }) => id)
  return missing.length === 0 ? null : `the tasks with these ids are missing: ${missing.join(', ')}`
}
