/** Builds the prompts of the user model. None has a name of a skill or a configuration; only the question of the leak guard has the answer key. */
import { readFileSync } from 'node:fs'
import Handlebars from 'handlebars'
import type { SimulatedUser } from '../../../../schemas/conversation.ts'
import { createDataFence, foldLines } from '../../../base/text/fence.ts'

const compile = (name: string) =>
  Handlebars.compile(readFileSync(new URL(name, import.meta.url), 'utf8'), { strict: true, noEscape: true })
const userTemplate = compile('./user_prompt.md')
const statementTemplate = compile('./statement_prompt.md')
const leakTemplate = compile('./leak_prompt.md')

export interface UserPromptRequest {
  user: SimulatedUser
  turns: readonly { prompt: string; answer: string }[]
  /** The message that the guard refused, and what it found; absent: first question. */
  refused?: { message: string; found: readonly string[] }
}

export function buildUserPrompt({ user, turns, refused }: UserPromptRequest): string {
  const { goal, facts = [], persona = '', stop = '' } = user
  const texts = turns.flatMap(({ prompt, answer }) => [prompt, answer])
  const fence = createDataFence([...texts, ...(refused === undefined ? [] : [refused.message])])
  return userTemplate({
    goal: foldLines(goal),
    persona: foldLines(persona),
    stop: foldLines(stop),
    hasFacts: facts.length > 0,
    facts: facts.map((text, index) => ({ n: index + 1, text: foldLines(text) })),
    fenceNote: fence.told,
    turns: turns.map(({ prompt, answer }) => ({ prompt: fence.around(prompt), answer: fence.around(answer) })),
    refused: refused !== undefined && {
      message: fence.around(refused.message),
      found: refused.found.map((one) => foldLines(one)),
    },
  })
}

export function buildStatementPrompt(statement: string, answer: string): string {
  const fence = createDataFence([answer])
  return statementTemplate({
    statement: foldLines(statement),
    fenceNote: fence.told,
    answer: fence.around(answer),
  })
}

export interface LeakPromptRequest {
  message: string
  sources: readonly string[]
  answerKey: readonly string[]
}

export function buildLeakPrompt({ message, sources, answerKey }: LeakPromptRequest): string {
  const fence = createDataFence([message, ...sources, ...answerKey])
  return leakTemplate({
    fenceNote: fence.told,
    sources: fence.around(sources.filter((text) => text !== '').join('\n\n')),
    answerKey: fence.around(answerKey.join('\n\n')),
    message: fence.around(message),
  })
}
