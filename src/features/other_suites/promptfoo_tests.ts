/** Fills the variables of a prompt, and reads a prompt that is a list of messages. */
import path from 'node:path'
import { tryParseJson } from '../../base/json/json.ts'
import { readYaml } from '../../base/text/yaml.ts'
import { isJsonObject, readNonEmptyText } from '../../phases/1-plan/formats/evals_json/fields.ts'
import { expandPattern, readNamedFile } from './named_text.ts'
import type { OtherCase } from './other_suite.ts'
import { type FieldNotes, type NamedItem, OtherFields } from './read_fields.ts'

/** A value that the whole template stands for stays as it is. Logic of the template, and a name without a value, are refused. */
export function fillTemplate(template: string, vars: Readonly<Record<string, unknown>>, notes: FieldNotes): unknown {
  const whole = /^\s*\{\{\s*([\w.]+)\s*\}\}\s*$/.exec(template)?.[1]
  if (whole !== undefined) {
    const value = findVariable(vars, whole)
    if (value === undefined) notes.refuse(`the prompt needs the variable "${whole}"`)
    return value ?? null
  }
  if (/\{%|\{#/.test(template)) notes.refuse('the prompt is a template with logic, which is not filled in here')
  return template.replaceAll(/\{\{-?\s*(.*?)\s*-?\}\}/gs, (found, name: string) => {
    const value = /^[\w.]+$/.test(name) ? findVariable(vars, name) : undefined
    if (value === undefined)
      notes.refuse(`the prompt needs ${JSON.stringify(name)}, which is not a variable of the test`)
    return value === undefined ? found : typeof value === 'string' ? value : JSON.stringify(value)
  })
}

function findVariable(vars: Readonly<Record<string, unknown>>, name: string): unknown {
  return name
    .split('.')
    .reduce<unknown>((inner, key) => (isJsonObject(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined), vars)
}

interface MessagePlace {
  one: OtherCase
  base: string
  notes: FieldNotes
}

/** Returns the messages of the user, in order. Those of the system and files of a message are added to the case. */
export function readPromptMessages(prompt: unknown, place: MessagePlace): string[] {
  const parsed = typeof prompt === 'string' && /^\s*\[\s*\{/.test(prompt) ? tryParseJson(prompt) : prompt
  const { one, notes } = place
  if (!Array.isArray(parsed)) {
    if (typeof prompt === 'string') return [prompt]
    if (prompt !== null && prompt !== undefined) return [JSON.stringify(prompt)]
    return []
  }
  const said: string[] = []
  for (const [index, message] of parsed.entries()) {
    const { role = 'user', content, ...more } = isJsonObject(message) ? message : { content: String(message) }
    const text = readContent(content, place)
    for (const name of Object.keys(more)) notes.warn(one.at, `"${name}" of a message is not read`)
    if (role === 'system' || role === 'developer') one.system = [one.system, text].filter(Boolean).join('\n\n')
    else if (role === 'user') said.push(text)
    else if (role === 'assistant' || role === 'tool')
      notes.warn(one.at, `a message of the role "${role}" is not read: the agent answers itself`)
    else notes.refuse(`message ${index + 1} has the role ${JSON.stringify(role)}, which cannot be sent`)
  }
  return said
}

function readContent(content: unknown, { one, base, notes }: MessagePlace): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return JSON.stringify(content ?? '')
  return content
    .flatMap((part: unknown) => {
      const object = isJsonObject(part) ? part : { type: 'text', text: part }
      for (const name of Object.keys(object).filter((key) => !['type', 'text', 'value'].includes(key)))
        notes.warn(one.at, `"${name}" of a part of a message is not read`)
      if (object.type === 'file' && typeof object.value === 'string') {
        const from = object.value.replace(/^\//, '')
        one.inputs.push({ from, to: path.posix.basename(from), at: one.at })
        return [`(see ${path.posix.basename(from)})`]
      }
      const text = object.text ?? object.value
      if (typeof text === 'string' && /^(?:input_)?text$/.test(String(object.type))) return [text]
      notes.refuse(`a part of the type ${JSON.stringify(object.type)} cannot be sent (files are relative to ${base})`)
      return []
    })
    .join('\n')
}

/** Where an assertion is read. `base`, `limit`: absolute folders; files may be in `limit`. */
export interface AssertionPlace {
  vars: Readonly<Record<string, unknown>>
  base: string
  limit: string
  notes: FieldNotes
}

/** `limit`: absolute folder that files may be in. */
type TestPlace = Pick<AssertionPlace, 'base' | 'limit'>

export async function listTests(fields: OtherFields, place: TestPlace): Promise<NamedItem[]> {
  const { notes } = fields
  const open = async (items: readonly NamedItem[]) => {
    const found: NamedItem[] = []
    for (const item of items) found.push(...(await openItem(item, place)))
    return found
  }
  const found = await open(fields.list('tests', 'evalcases', 'eval_cases', 'cases'))
  for (const { value, at } of await open(fields.list('scenarios'))) {
    const scenario = new OtherFields(value, at, notes)
    const configs = scenario.list('config')
    const inner = await listTests(scenario, place)
    if (configs.length === 0 || inner.length === 0)
      notes.warn(at, 'this scenario is not read: it has no "config" or no "tests"')
    for (const config of configs)
      found.push(...inner.map((test) => ({ at: test.at, value: mergeTests(config.value, test.value) })))
  }
  return found
}

/** A text names a file of YAML, JSON or lines of JSON, or several by a pattern. */
async function openItem(item: NamedItem, place: TestPlace): Promise<NamedItem[]> {
  const named = readNonEmptyText(item.value) ?? (isJsonObject(item.value) ? readNonEmptyText(item.value.path) : null)
  if (named === null) return [item]
  const found: NamedItem[] = []
  const names = await expandPattern(named.replace(/^file:\/\//, ''), place.base)
  if (names.length === 0) found.push({ ...item, broken: `the tests of "${named}" are not read: no file matches it` })
  for (const name of names) {
    const text = /\.(?:ya?ml|json|jsonl)$/.test(name) ? await readNamedFile(name, place.base, place.limit) : null
    const broken = `the tests of "${name}" are not read: not a file of YAML, JSON or JSONL next to the suite`
    found.push(...(text === null ? [{ ...item, broken }] : readTests(name, text)))
  }
  return found
}

function readTests(name: string, text: string): NamedItem[] {
  const lines = name.endsWith('.jsonl') ? text.split('\n').filter((line) => line.trim() !== '') : [text]
  return lines.flatMap((line, index): NamedItem[] => {
    const yaml = readYaml(line.replace(/^\uFEFF/, ''))
    const at = `${name} $`
    if (!yaml.ok) return [{ value: null, at, broken: `${name}:${yaml.at.line + index}: ${yaml.message}` }]
    const value: unknown = yaml.value
    const list = isJsonObject(value) ? (value.tests ?? value) : value
    if (!Array.isArray(list)) return [{ value: list, at: lines.length > 1 ? `${at}[${index}]` : at }]
    return list.map((one: unknown, place) => ({ value: one, at: `${at}[${place}]` }))
  })
}

/** The fields of both; variables and assertions are joined. */
function mergeTests(one: unknown, other: unknown): unknown {
  if (!isJsonObject(one) || !isJsonObject(other)) return other
  const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
  const vars = { ...(isJsonObject(one.vars) && one.vars), ...(isJsonObject(other.vars) && other.vars) }
  return { ...one, ...other, vars, assert: [...list(one.assert), ...list(other.assert)] }
}

/** A variable that is a list of texts or numbers stands for a test of each. At most 200 of one test. */
export function expandVariables(test: NamedItem, shared: Readonly<Record<string, unknown>>): NamedItem[] {
  if (!isJsonObject(test.value)) return [test]
  const own = isJsonObject(test.value.vars) ? test.value.vars : {}
  const vars = { ...(isJsonObject(shared.vars) && shared.vars), ...own }
  const options = isJsonObject(test.value.options) ? test.value.options : shared.options
  const isOff = isJsonObject(options) && options.disableVarExpansion === true
  const lists = Object.entries(vars).filter(([, value]) => !isOff && isListOfValues(value))
  let all: Record<string, unknown>[] = [vars]
  for (const [name, values] of lists) {
    if (!Array.isArray(values)) continue
    all = all.flatMap((one) => values.map((value: unknown) => ({ ...one, [name]: value })))
    if (all.length > 200) return [test]
  }
  const object = test.value
  if (all.length === 1) return [{ ...test, value: { ...object, vars: all[0] } }]
  return all.map((one, index) => ({ at: `${test.at} (${index + 1})`, value: { ...object, vars: one } }))
}

function isListOfValues(value: unknown): boolean {
  return Array.isArray(value) && value.length > 1 && value.every((one) => ['string', 'number'].includes(typeof one))
}
