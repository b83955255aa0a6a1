/** Fills the variables of a prompt, and reads a prompt that is a list of messages. */
import path from 'node:path'
import { tryParseJson } from '../../base/json/json.ts'
import { readYaml } from '../../base/text/yaml.ts'
import { isJsonObject, readNonEmptyText } from '../../phases/1-plan/formats/evals_json/fields.ts'
import { expandPattern, readNamedFile } from './named_text.ts'
import type { OtherCase } from './other_suite.ts'
import { collectReasons, type FieldNotes, type NamedItem, OtherFields } from './read_fields.ts'

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
    const fields: Record<string, unknown> = isJsonObject(message) ? message : { content: message }
    const { role = 'user', content, ...more } = fields
    if (content === undefined || content === null) {
      notes.refuse(`message ${index + 1} has no "content"`)
      continue
    }
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
  if (!Array.isArray(content)) return JSON.stringify(content)
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
  /** The name of the skill under test. */
  skill: string
  /** The expected output of the test; null: none. */
  expected: string | null
  notes: FieldNotes
}

/** `limit`: absolute folder that files may be in. */
type TestPlace = Pick<AssertionPlace, 'base' | 'limit'>

export async function listTests(fields: OtherFields, place: TestPlace): Promise<NamedItem[]> {
  const { notes } = fields
  const open = async (items: readonly NamedItem[]) => {
    const found: NamedItem[] = []
    for (const item of items) found.push(...(await openItem(item, place, notes)))
    return found
  }
  const found = await open(fields.list('tests', 'evalcases', 'eval_cases', 'cases'))
  for (const { value, at } of await open(fields.list('scenarios'))) {
    const { reasons, fields: scenario } = collectReasons({ value, at }, notes)
    const configs = scenario.list('config')
    for (const config of configs)
      if (!isJsonObject(config.value)) reasons.push(`${config.at} is not an object of variables`)
    const inner = await listTests(scenario, place)
    scenario.rest('a scenario', ['config', 'tests'])
    if (configs.length === 0 || inner.length === 0)
      notes.warn(at, 'this scenario is not read: it has no "config" or no "tests"')
    for (const config of configs)
      for (const test of inner)
        found.push({ ...test, broken: test.broken ?? reasons[0], value: mergeTests(config.value, test.value) })
  }
  return found
}

/** A text names a file of YAML, JSON or lines of JSON, or several by a pattern. */
async function openItem(item: NamedItem, place: TestPlace, notes: FieldNotes): Promise<NamedItem[]> {
  const fields = new OtherFields(item.value, item.at, notes)
  const named = readNonEmptyText(item.value) ?? readNonEmptyText(fields.object.path)
  if (named === null) return [item]
  fields.value('path')
  fields.rest('"tests"', ['path'])
  const found: NamedItem[] = []
  const names = await expandPattern(named.replace(/^file:\/\//, ''), place.base)
  if (names.length === 0) found.push({ ...item, broken: `the tests of "${named}" are not read: no file matches it` })
  for (const name of names) {
    const text = /\.(?:ya?ml|json|jsonl)$/.test(name) ? await readNamedFile(name, place.base, place.limit) : null
    const broken = `the tests of "${name}" are not read: not a file of YAML, JSON or JSONL next to the suite`
    found.push(...(text === null ? [{ ...item, broken }] : readTests(name, text, notes)))
  }
  return found
}

function readTests(name: string, text: string, notes: FieldNotes): NamedItem[] {
  const lines = name.endsWith('.jsonl') ? text.split('\n').filter((line) => line.trim() !== '') : [text]
  return lines.flatMap((line, index): NamedItem[] => {
    const yaml = readYaml(line.replace(/^\uFEFF/, ''))
    const at = `${name} $`
    if (!yaml.ok) return [{ value: null, at, broken: `${name}:${yaml.at.line + index}: ${yaml.message}` }]
    const value: unknown = yaml.value
    const { reasons, fields } = collectReasons({ value, at }, notes)
    const tests = fields.value('tests')
    if (tests !== undefined) fields.rest('a file of tests', ['tests'])
    const list = tests ?? value
    if (!Array.isArray(list)) return [{ value: list, at: lines.length > 1 ? `${at}[${index}]` : at }]
    return list.map((one: unknown, place) => ({ value: one, at: `${at}[${place}]`, broken: reasons[0] }))
  })
}

/** The fields of both; variables and assertions are joined. */
function mergeTests(one: unknown, other: unknown): unknown {
  if (!isJsonObject(one) || !isJsonObject(other)) return other
  const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
  const vars = { ...(isJsonObject(one.vars) && one.vars), ...(isJsonObject(other.vars) && other.vars) }
  return { ...one, ...other, vars, assert: [...list(one.assert), ...list(other.assert)] }
}

/** A variable that is a list of texts or numbers stands for a test of each. More than 200 of one test are refused. */
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
    if (all.length > 200)
      return [{ ...test, broken: `${test.at}: the lists of its variables stand for more than 200 tests: write fewer` }]
  }
  const object = test.value
  if (all.length === 1) return [{ ...test, value: { ...object, vars: all[0] } }]
  return all.map((one, index) => ({ at: `${test.at} (${index + 1})`, value: { ...object, vars: one } }))
}

/** A variable `file://…` is the text of that file; one of code or with a pattern is refused. */
export async function readVariableFiles(
  vars: Readonly<Record<string, unknown>>,
  { base, limit }: TestPlace,
  notes: FieldNotes,
): Promise<Record<string, unknown>> {
  const read = Object.entries(vars).map(async ([name, value]) => {
    const file = typeof value === 'string' ? /^file:\/\/(.+)$/.exec(value)?.[1] : undefined
    if (file === undefined) return [name, value]
    const isText = !/\.(?:[cm]?[jt]s|py|rb|pdf|png|jpe?g|gif|webp|mp[34]|wav)$/i.test(file)
    const text = isText ? await readNamedFile(file, base, limit) : null
    if (text === null)
      notes.refuse(`the variable "${name}" is the file ${file}, which is not a text file next to the suite`)
    return [name, text?.trim() ?? value]
  })
  return Object.fromEntries(await Promise.all(read))
}

function isListOfValues(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((one) => ['string', 'number'].includes(typeof one))
}
