/** The criteria of a comparison: the judge chooses them before it sees a delivery, otherwise the usual six apply. */
import { readFileSync } from 'node:fs'
import Handlebars from 'handlebars'
import * as z from 'zod'
import { type Criteria, criterion } from '../../../../schemas/comparison.ts'
import { buildCodeFence, foldLines } from '../../../base/text/fence.ts'
import type { BlindTask } from './prompt.ts'

export const criteriaPromptSource = readFileSync(new URL('./criteria_prompt.md', import.meta.url), 'utf8')
const template = Handlebars.compile(criteriaPromptSource, { strict: true, noEscape: true })

const criterionList = z.array(criterion).min(2).max(5)

export const criteriaAnswer = z.object({ content: criterionList, structure: criterionList })

export function criteriaPrompt({ prompt, expectedOutput }: BlindTask): string {
  return template({
    prompt,
    promptFence: buildCodeFence(prompt),
    hasExpectedOutput: expectedOutput !== null,
    expectedOutput: expectedOutput ?? '',
    expectedFence: buildCodeFence(expectedOutput ?? ''),
  })
}

/** Normalises the names and removes duplicates. null: too few remain. */
export function chosenCriteria(answer: z.infer<typeof criteriaAnswer>): Criteria | null {
  const taken = new Set<string>()
  const tidy = (list: z.infer<typeof criterionList>) =>
    list.flatMap(({ name, meaning }) => {
      const plain = name
        .toLowerCase()
        .replaceAll(/[^a-z0-9]+/g, '_')
        .replaceAll(/^_+|_+$/g, '')
      if (plain === '' || taken.has(plain)) return []
      taken.add(plain)
      return [{ name: plain, meaning: foldLines(meaning) }]
    })
  const chosen = { chosen_by: 'judge' as const, content: tidy(answer.content), structure: tidy(answer.structure) }
  return chosen.content.length < 2 || chosen.structure.length < 2 ? null : chosen
}

/** The criteria of the reference implementation. */
export const usualCriteria: Criteria = {
  chosen_by: 'usual',
  content: [
    { name: 'correctness', meaning: 'What is delivered is right.' },
    { name: 'completeness', meaning: 'Nothing that the task asks for is missing.' },
    { name: 'accuracy', meaning: 'Details, figures and names are exact.' },
  ],
  structure: [
    { name: 'organization', meaning: 'Parts stand where one looks for them.' },
    { name: 'formatting', meaning: 'It looks consistent and finished.' },
    { name: 'usability', meaning: 'Its user can use it as it is.' },
  ],
}
