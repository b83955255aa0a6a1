/** A SKILL.md with another description, all else as it was; and what speaks against a description. Pure. */
import { isMap, isScalar, parseDocument, stringify } from 'yaml'

/** Characters that agents allow. */
const longest = 1024

/** On one line, as it is written. */
export function tidied(description: string): string {
  return description.replaceAll(/\s+/g, ' ').trim()
}

/** Why agents would not take it, or why it would be no fair test; null: nothing. `queries`: those that it was made from. */
export function descriptionProblem(description: string, queries: readonly string[]): string | null {
  const text = tidied(description)
  if (text === '') return 'the description is empty'
  if (text.length > longest) return `the description has ${text.length} characters; at most ${longest} are allowed`
  if (/[<>]/.test(text)) return 'the description holds < or >, which agents refuse'
  if (/\p{Cc}/u.test(text)) return 'the description holds control characters'
  const copied = queries.find((query) => query.length >= 20 && text.toLowerCase().includes(query.toLowerCase()))
  return copied === undefined ? null : `it repeats a query word for word: ${copied.slice(0, 80)}`
}

const block = /^(\uFEFF?---[ \t]*\r?\n)([\s\S]*?)(\r?\n---[ \t]*(?:\r?\n|$))/

/** null: the frontmatter has no description that can be replaced. */
export function withDescription(skill: string, description: string): string | null {
  const parts = block.exec(skill)
  if (parts === null) return null
  const [whole, open = '', yaml = '', close = ''] = parts
  const edited = replaced(yaml, tidied(description))
  return edited === null ? null : `${open}${edited}${close}${skill.slice(whole.length)}`
}

function replaced(yaml: string, description: string): string | null {
  const document = parseDocument(yaml)
  if (document.errors.length > 0) return replacedLine(yaml, description)
  const { contents } = document
  if (!isMap(contents)) return null
  const pair = contents.items.find(({ key }) => isScalar(key) && key.value === 'description')
  if (pair === undefined || !isScalar(pair.value) || !pair.value.range) return null
  const [start, end] = pair.value.range
  const before = yaml.slice(0, start)
  const tail = /\s*$/.exec(yaml.slice(start, end))?.[0] ?? ''
  return `${before}${/\s$/.test(before) ? '' : ' '}${scalar(description)}${tail}${yaml.slice(end)}`
}

/** Of frontmatter that is no YAML, as authors write it who never quote: the line, with the lines indented below it. */
function replacedLine(yaml: string, description: string): string | null {
  const line = /^description:[ \t]*\S.*(?:\r?\n[ \t]+\S.*)*/m
  return line.test(yaml) ? yaml.replace(line, () => `description: ${scalar(description)}`) : null
}

/** In quotes where it needs them. */
function scalar(text: string): string {
  return stringify(text, { lineWidth: 0 }).trimEnd()
}
