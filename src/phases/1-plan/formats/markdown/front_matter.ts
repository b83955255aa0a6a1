/** Reads the frontmatter of a Markdown file: its fields with their lines, and the body after it. */
import { readYaml, type YamlPlace } from '../../../../base/text/yaml.ts'
import { isJsonObject } from '../evals_json/fields.ts'

export interface MarkdownFront {
  /** JSON values. */
  fields: Readonly<Record<string, unknown>>
  /** The same with every scalar as written. */
  texts: Readonly<Record<string, unknown>>
  at: (path: readonly PropertyKey[]) => YamlPlace
  /** false: the file has none. */
  isThere: boolean
  body: string
  /** Line of the body's first line, from 1. */
  bodyLine: number
}

export interface FrontMistake {
  message: string
  at: YamlPlace
}

const none = { fields: {}, texts: {}, at: () => ({ line: 1, column: 1 }), isThere: false }

/** Expects a text without byte order mark and CRLF. */
export function readFront(text: string): MarkdownFront | FrontMistake {
  const lines = text.split('\n')
  const isMark = (line: string | undefined) => line !== undefined && /^---[ \t]*$/.test(line)
  if (!isMark(lines[0])) return { ...none, body: text, bodyLine: 1 }
  const end = lines.findIndex((line, index) => index > 0 && isMark(line))
  if (end < 0) {
    return { message: 'the frontmatter that begins here is never closed by a line ---', at: { line: 1, column: 1 } }
  }
  const yaml = readYaml(lines.slice(1, end).join('\n'), 2)
  if (!yaml.ok) return { message: `the frontmatter is not valid YAML: ${yaml.message}`, at: yaml.at }
  const rest = { body: lines.slice(end + 1).join('\n'), bodyLine: end + 2, isThere: true }
  if (yaml.value === null) return { ...none, ...rest }
  if (!isJsonObject(yaml.value) || !isJsonObject(yaml.texts)) {
    return { message: 'the frontmatter must be fields of the form name: value', at: { line: 2, column: 1 } }
  }
  return { fields: yaml.value, texts: yaml.texts, at: yaml.at, ...rest }
}
