/** Reads promptfoo's configuration and agentv's suites: prompts with variables, and tests with assertions. https://promptfoo.dev, https://agentv.dev */

import { isJsonObject } from '../../phases/1-plan/formats/evals_json/fields.ts'
import { expandPattern, findLimit, readNamedFile } from './named_text.ts'
import {
  dropEmpty,
  hasField,
  hasItems,
  isOwnCheck,
  type OtherCase,
  type OtherSystem,
  readEachCase,
  splitCriteria,
} from './other_suite.ts'
import { readAssertions } from './promptfoo_assertions.ts'
import {
  type AssertionPlace,
  expandVariables,
  fillTemplate,
  listTests,
  readPromptMessages,
  readVariableFiles,
} from './promptfoo_tests.ts'
import { collectReasons, type FieldNotes, type NamedItem, OtherFields, settingLosses } from './read_fields.ts'

export const promptfoo: OtherSystem = {
  title: 'promptfoo or agentv',
  signs: [
    {
      words: '"tests", "evalcases", "cases" or "scenarios"',
      holds: (document) => hasField(document, ['tests', 'evalcases', 'cases', 'scenarios', 'eval_cases']),
    },
    {
      words: '"prompts", or tests with "vars", "assert", "input" or "input_messages"',
      holds: (document) =>
        hasField(document, ['prompts']) || hasItems(document, listNames, ['vars', 'assert', 'input', 'input_messages']),
    },
  ],
  async read(fields, { base, root, skill, warn }) {
    const limit = findLimit(base, root)
    const prompts = await readPrompts(fields.list('prompts'), { base, limit }, fields.notes)
    const test = fields.inner('default_test')
    const tests = await listTests(fields, { base, limit })
    const above = { assert: fields.list('assert', 'assertions'), test: test.object, input: fields.value('input') }
    const items = tests.flatMap((one) => expandVariables(one, test.object))
    const all = prompts.length === 0 ? [{ text: null, reasons: [] }] : prompts
    const cases: OtherCase[] = []
    for (const prompt of all) {
      const place = { prompt, base, limit, skill, above }
      cases.push(...(await readEachCase(items, warn, (of, one) => readTest(of, one, place))))
    }
    test.inner('vars')
    test.value('assert')
    test.rest('"defaultTest"', ['vars', 'assert'], ofTest)
    fields.rest('the file', ['prompts', ...listNames, 'assert', 'input'], ofFile)
    return { skillName: null, base, cases: renumber(cases, all.length) }
  },
}

const assertNames = ['assert', 'assertions', 'evaluators']
const listNames = ['tests', 'evalcases', 'eval_cases', 'cases']

const ofFile = {
  providers: settingLosses.engine,
  env: 'set the variables where you start Whetstone',
  targets: settingLosses.engine,
  target: settingLosses.engine,
  execution: settingLosses.engine,
  evaluate_options: 'choose with --runs and --concurrency',
  command_line_options: 'choose with flags',
  threshold: settingLosses.threshold,
  environment: settingLosses.sandbox,
  workspace: settingLosses.sandbox,
  extensions: 'write "setup" of an evals.json',
  derived_metrics: settingLosses.threshold,
  output_path: 'choose with --workspace',
  defaults: 'choose with flags',
  sharing: '',
  governance: '',
}

/** `text`: null if the test has its own, or it can't be read. `reasons`: why its cases can't run. */
interface Prompt {
  text: string | null
  reasons: readonly string[]
}

/** Each prompt as text. A file is read; code is not. */
async function readPrompts(
  items: readonly NamedItem[],
  { base, limit }: Pick<AssertionPlace, 'base' | 'limit'>,
  notes: FieldNotes,
): Promise<Prompt[]> {
  const prompts: Prompt[] = []
  for (const { value, at } of items) {
    const { reasons, fields } = collectReasons({ value: isJsonObject(value) ? value : { raw: value }, at }, notes)
    const text = fields.text('raw', 'prompt', 'file', 'id')
    fields.rest('a prompt', ['raw', 'label'], { config: settingLosses.engine })
    const isFile =
      text !== null && /^(?:file:\/\/|exec:|[^\s{}]+\.(?:txt|md|json|j2|ya?ml|py|[cm]?[jt]s)(?::\w+)?$)/.test(text)
    const names = isFile ? await expandPattern(text.replace(/^file:\/\//, ''), base) : []
    const open = (name: string) => (/\.(?:txt|md|json|j2)$/.test(name) ? readNamedFile(name, base, limit) : null)
    const read = isFile ? await Promise.all(names.map(open)) : [text]
    const why = `${at}: this prompt is not read: it is not text, nor a text file next to the suite`
    for (const text of read.length === 0 ? [null] : read)
      prompts.push({ text, reasons: text === null ? [...reasons, why] : reasons })
  }
  return prompts
}

interface Test extends Omit<AssertionPlace, 'vars' | 'expected' | 'notes'> {
  prompt: Prompt
  above: { assert: readonly NamedItem[]; test: Record<string, unknown>; input: unknown }
}

const known =
  'id description vars assert input input_messages expected_output criteria rubrics turns expected_messages expected_outcome question options provider'.split(
    ' ',
  )
const ofTest = {
  options: 'choose with flags',
  provider: settingLosses.engine,
  providers: settingLosses.engine,
  prompts: 'each test runs with every prompt',
  threshold: settingLosses.threshold,
  execution: settingLosses.engine,
  conversation_id: '',
  aggregation: settingLosses.threshold,
  window_size: 'each answer is judged with the whole dialogue',
  on_turn_failure: 'the conversation continues',
  mode: '',
  workspace: settingLosses.sandbox,
  environment: settingLosses.sandbox,
}

async function readTest(fields: OtherFields, one: OtherCase, { prompt, above, ...place }: Test): Promise<void> {
  const { notes } = fields
  const id = fields.text('id', 'description')
  const vars = await readVariableFiles(fields.inner('vars').object, place, notes)
  for (const reason of prompt.reasons) notes.refuse(reason)
  const own = fields.value('input', 'input_messages', 'question')
  const all: Record<string, unknown> = { ...(own !== undefined && { input: own }), ...vars }
  const expected = describeExpected(vars.expected_output ?? fields.value('expected_output', 'expected_messages'))
  const assertionPlace = { vars: all, ...place, expected, notes }
  const filled = prompt.reasons.length === 0 ? fillTemplate(prompt.text ?? usualPrompt(all), all, notes) : null
  const skipsDefaults =
    fields.take('execution', (value) => isJsonObject(value) && value.skip_defaults === true) !== null
  const shared = new OtherFields(above.test, '$.defaultTest', notes).list('assert')
  const asserts = [
    ...assertNames.flatMap((name) => fields.list(name)),
    ...(skipsDefaults ? [] : [...shared, ...above.assert]),
  ]
  const asked = [...(skipsDefaults ? [] : [above.input]), filled].flatMap((said) =>
    readPromptMessages(said, { one, base: place.base, notes }),
  )
  const turns = fields.items('turns', 'input').map(readTurn)
  const messages = [...asked, ...turns.map(({ text }) => text)].flatMap((text) => text ?? [])
  const [first, ...later] = messages
  const criteria = await readAssertions(asserts, assertionPlace)
  for (const [index, { assert }] of turns.entries())
    for (const found of await readAssertions(assert, assertionPlace))
      criteria.push(aboutTurn(found, asked.length + index + 1))
  one.object = dropEmpty({
    eval_key: id,
    name: id,
    prompt: first ?? null,
    turns: later,
    expected_output: expected,
    expectations: fields.texts('criteria', 'expected_outcome'),
    rubric: fields.value('rubrics') ?? null,
    ...splitCriteria(criteria),
  })
  fields.rest('a test', known, ofTest)
}

/** What a suite without "prompts" sends: promptfoo the variable "prompt", agentv the input. */
function usualPrompt(vars: Readonly<Record<string, unknown>>): string {
  return vars.input === undefined && vars.prompt !== undefined ? '{{ prompt }}' : '{{ input }}'
}

/** Assertions of a turn are about its answer. */
function aboutTurn(found: unknown, turn: number): unknown {
  if (isOwnCheck(found)) return { own: { ...found.own, turn } }
  return isJsonObject(found) ? { ...found, turn } : { text: found, turn }
}

function readTurn(fields: OtherFields): { text: string | null; assert: NamedItem[] } {
  const text = fields.text('input', 'prompt', 'content')
  const assert = fields.list('assert', 'assertions')
  if (text === null) fields.notes.refuse(`${fields.at} has no "input"`)
  fields.rest('a turn', ['input', 'assert'], { expected_output: '' })
  return { text, assert }
}

/** The last message of a list if that is only a text; else all as JSON. null: there is none. */
function describeExpected(expected: unknown): string | null {
  if (expected === undefined || expected === null || expected === '') return null
  if (typeof expected === 'string') return expected
  const last: unknown = Array.isArray(expected) ? expected.at(-1) : expected
  const { content, role = 'assistant', ...more } = isJsonObject(last) ? last : { content: last }
  const isText = typeof content === 'string' && role === 'assistant' && Object.keys(more).length === 0
  return isText ? content : JSON.stringify(expected)
}

/** With several prompts each test is several cases, with places of their own. */
function renumber(cases: OtherCase[], prompts: number): OtherCase[] {
  if (prompts < 2) return cases
  const each = cases.length / prompts
  return cases.map((one, index) => {
    const number = Math.floor(index / each) + 1
    const key = typeof one.object.eval_key === 'string' ? `${one.object.eval_key} (prompt ${number})` : undefined
    return { ...one, object: { ...one.object, ...(key && { eval_key: key, name: key }) } }
  })
}
