/** Replaces the description in a SKILL.md, and checks whether a description is valid. Pure. */
import { isMap, isScalar, parseDocument, stringify } from 'yaml'

/** The most characters that agents allow. */
const longest = 1024

/** On one line, as the file contains it. */
export function normalizeDescription(description: string): string {
  return description.replaceAll(/\s+/g, ' ').trim()
}

/** Why agents refuse it, or why it is not a fair test; null: it is valid. `queries`: those that it was written from. */
export function descriptionProblem(description: string, queries: readonly string[]): string | null {
  const text = normalizeDescription(description)
  if (text === '') return 'the description is empty'
  if (text.length > longest) return `the description has ${text.length} characters; at most ${longest} are allowed`
  if (/[<>]/.test(text)) return 'the description contains < or >, which agents reject'
  if (/\p{Cc}/u.test(text)) return 'the description contains control characters'
  const copied = queries.find((query) => query.length >= 20 && text.toLowerCase().includes(query.toLowerCase()))
  return copied === undefined ? null : `it repeats a query word for word: ${copied.slice(0, 80)}`
}

const block = /^(\uFEFF?---[ \t]*\r?\n)([\s\S]*?)(\r?\n---[ \t]*(?:\r?\n|$))/

/** null: the frontmatter has no description that can be replaced. */
export function replaceDescription(skill: string, description: string): string | null {
  const parts = block.exec(skill)
  if (parts === null) return null
  const [whole, open = '', yaml = '', close = ''] = parts
  const edited = replaceYamlDescription(yaml, normalizeDescription(description))
  return edited === null ? null : `${open}${edited}${close}${skill.slice(whole.length)}`
}

function replaceYamlDescription(yaml: string, description: string): string | null {
  const document = parseDocument(yaml)
  if (document.errors.length > 0) return replaceDescriptionLine(yaml, description)
  const { contents } = document
  if (!isMap(contents)) return null
  const pair = contents.items.find(({ key }) => isScalar(key) && key.value === 'description')
  if (pair === undefined || !isScalar(pair.value) || !pair.value.range) return null
  const [start, end] = pair.value.range
  const before = yaml.slice(0, start)
  const tail = /\s*$/.exec(yaml.slice(start, end))?.[0] ?? ''
  return `${before}${/\s$/.test(before) ? '' : ' '}${scalar(description)}${tail}${yaml.slice(end)}`
}

/** For frontmatter that is not valid YAML because quotes are missing: the line, with the indented lines below it. */
function replaceDescriptionLine(yaml: string, description: string): string | null {
  const line = /^description:[ \t]*\S.*(?:\r?\n[ \t]+\S.*)*/m
  return line.test(yaml) ? yaml.replace(line, () => `description: ${scalar(description)}`) : null
}

/** Quoted if necessary. */
function scalar(text: string): string {
  return stringify(text, { lineWidth: 0 }).trimEnd()
}

export interface SplitQuery {
  query_id: number
  should_trigger: boolean
  split: 'train' | 'test' | null
}

export interface QuerySplit {
  by: 'set' | 'draw'
  /** query_id, ascending. */
  train: number[]
  test: number[]
}

/** The share of test queries, as in skill-creator. */
const holdout = 0.4

/** `random`: uniform in [0, 1). A label with two or more queries has at least one on each side. */
export function splitQueries(queries: readonly SplitQuery[], random: () => number): QuerySplit {
  const ids = (of: readonly SplitQuery[]) => of.map(({ query_id }) => query_id).sort((a, b) => a - b)
  const said = queries.filter(({ split }) => split !== null)
  if (said.length > 0) {
    const test = queries.filter(({ split }) => split === 'test')
    // queries that the set does not assign are for training
    return { by: 'set', train: ids(queries.filter(({ split }) => split !== 'test')), test: ids(test) }
  }
  const test = [true, false].flatMap((label) => {
    const own = queries.filter(({ should_trigger }) => should_trigger === label)
    const kept = own.length < 2 ? 0 : Math.min(own.length - 1, Math.max(1, Math.round(own.length * holdout)))
    const drawn = own.map((one) => ({ one, at: random() })).sort((a, b) => a.at - b.at)
    return drawn.slice(0, kept).map(({ one }) => one)
  })
  const held = new Set(ids(test))
  return { by: 'draw', train: ids(queries.filter(({ query_id }) => !held.has(query_id))), test: [...held] }
}
