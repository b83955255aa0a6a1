/** Builds the prompt that asks a model to draft cases for a skill. Pure. */
import { readFileSync } from 'node:fs'
import Handlebars from 'handlebars'

const source = readFileSync(new URL('./prompt.md', import.meta.url), 'utf8')
const template = Handlebars.compile(source, { strict: true, noEscape: true })

export interface CaseDraftWords {
  count: number
  name: string
  skill: string
  /** The skill's other files, relative to its folder. */
  files: readonly string[]
  known: readonly { name: string; prompt: string }[]
  taken: readonly string[]
}

/** Characters of SKILL.md that the prompt includes. */
export const longestSkill = 40_000
const mostNames = 80
const mostKnown = 120

/** `fenceFor` returns a fence that these texts cannot close. */
export function caseDraftPrompt(words: CaseDraftWords, fenceFor: (text: string) => string): string {
  const { count, name, skill } = words
  const shown = skill.length > longestSkill ? `${skill.slice(0, longestSkill)}\n…` : skill
  const known = words.known
    .slice(-mostKnown)
    .map((one) => JSON.stringify({ name: one.name.slice(0, 80), prompt: one.prompt.slice(0, 200) }))
    .join('\n')
  return template({
    ...{ count, name, known },
    edges: Math.floor(count / 3),
    skill: shown,
    files: quoteFileNames(words.files),
    taken: quoteFileNames(words.taken),
    fence: fenceFor(`${shown}\n${known}`),
  })
}

/** Names on one line, quoted so that the model reads them as data. */
function quoteFileNames(names: readonly string[]): string {
  const shown = names.slice(0, mostNames).map((name) => JSON.stringify(name))
  return [...shown, ...(names.length > mostNames ? [`and ${names.length - mostNames} more`] : [])].join(', ')
}
