/** The prompt for a proposer of descriptions: the skill, the results on the training queries, earlier attempts. */
import { readFileSync } from 'node:fs'
import Handlebars from 'handlebars'

const source = readFileSync(new URL('./description_prompt.md', import.meta.url), 'utf8')
const template = Handlebars.compile(source, { strict: true, noEscape: true })

/** A query as the proposer sees it; test queries are never shown. */
interface ObservedQuery {
  query: string
  should_trigger: boolean
  /** null: no answer. */
  trigger_rate: number | null
  /** Other skills that its runs read. */
  instead: readonly string[]
}

export interface DescriptionWords {
  name: string
  /** SKILL.md. */
  skill: string
  description: string
  observed: readonly ObservedQuery[]
  /** Installed with the skill: name and description. */
  others: readonly { name: string; description: string }[]
  /** Each with its result on the training queries. */
  attempts: readonly { description: string; behaves: number | null; note: string }[]
}

const longestSkill = 12_000

/** `fenceFor` returns a fence that these texts can't close. */
export function descriptionPrompt(words: DescriptionWords, fenceFor: (text: string) => string): string {
  const skill = words.skill.length > longestSkill ? `${words.skill.slice(0, longestSkill)}\n…` : words.skill
  const observed = words.observed.map((one) => JSON.stringify(one)).join('\n')
  const others = words.others.map(({ name, description }) => JSON.stringify({ name, description })).join('\n')
  const attempts = words.attempts.map((one) => JSON.stringify(one)).join('\n')
  const { name, description } = words
  const fence = fenceFor([skill, observed, others, attempts, description].join('\n'))
  return template({ name, description, skill, observed, others, attempts, fence })
}
