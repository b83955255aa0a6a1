/** Reads the graders of waza, each by its type. */
import { type FieldReader, isJsonObject, openFieldReader } from '../../evals_json/fields.ts'
import { answerHas, answerLacks, filesAbsent, filesExist, toolsNotUsed, toolsUsed } from '../other_criteria.ts'
import {
  type FieldNotes,
  nameUnread,
  settingLosses,
  takeOtherList,
  takeOtherNumber,
  takeOtherText,
  takeOtherTexts,
} from '../read_fields.ts'

type Marks = Readonly<Record<string, unknown>>
type Reading = (config: FieldReader, marks: Marks, notes: FieldNotes) => unknown[]

const readings: Readonly<Record<string, Reading>> = {
  text: readText,
  regex: readText,
  keyword: (config, marks, notes) => [
    ...answerHas.textsInAnyCase(takeOtherTexts(config, ['must_contain'], notes), marks),
    ...answerLacks.textsInAnyCase(takeOtherTexts(config, ['must_not_contain'], notes), marks),
  ],
  file: readFile,
  behavior: readBehavior,
  prompt: readPrompt,
  llm: readPrompt,
  action_sequence: (config, marks, notes) => {
    const mode = takeOtherText(config, ['matching_mode'], notes) ?? 'in_order_match'
    const tools = takeOtherTexts(config, ['expected_actions'], notes)
    const modes: Readonly<Record<string, string>> = { exact_match: 'exact', any_order_match: 'superset' }
    return tools.length === 0 ? [] : [{ type: 'tool_order', tools, mode: modes[mode] ?? 'in_order', ...marks }]
  },
}

function readText(config: FieldReader, marks: Marks, notes: FieldNotes): unknown[] {
  const texts = (...names: string[]) => takeOtherTexts(config, names, notes)
  return [
    ...answerHas.textsInAnyCase(texts('contains'), marks),
    ...answerLacks.textsInAnyCase(texts('not_contains'), marks),
    ...answerHas.texts(texts('contains_cs'), marks),
    ...answerLacks.texts(texts('not_contains_cs'), marks),
    ...answerHas.patterns([...texts('regex_match'), ...texts('must_match')], marks),
    ...answerLacks.patterns([...texts('regex_not_match'), ...texts('must_not_match')], marks),
  ]
}

function readFile(config: FieldReader, marks: Marks, notes: FieldNotes): unknown[] {
  const contents = takeOtherList(config, ['content_patterns']).flatMap(({ value, at }) => {
    const fields = openFieldReader(isJsonObject(value) ? value : {}, at)
    const path = takeOtherText(fields, ['path'], notes)
    if (path === null) notes.refuse(`${at} has no "path"`)
    const found = [
      ...takeOtherTexts(fields, ['must_match'], notes).map((pattern) => ({ type: 'file_matches', pattern })),
      ...takeOtherTexts(fields, ['must_not_match'], notes).map((pattern) => ({ type: 'not-regex', pattern })),
    ]
    nameUnread(fields, { what: 'a pattern', known: ['path', 'must_match', 'must_not_match'], losses: {} }, notes)
    return path === null ? [] : found.map((one) => ({ ...one, path, ...marks }))
  })
  return [
    ...filesExist(takeOtherTexts(config, ['must_exist'], notes), marks),
    ...filesAbsent(takeOtherTexts(config, ['must_not_exist'], notes), marks),
    ...contents,
  ]
}

function readPrompt(config: FieldReader, marks: Marks, notes: FieldNotes): unknown[] {
  const text = takeOtherText(config, ['prompt', 'rubric'], notes)
  return text === null ? [] : [{ text, ...marks }]
}

export function readBehavior(config: FieldReader, marks: Marks, notes: FieldNotes): unknown[] {
  const calls = takeOtherNumber(config, ['max_tool_calls'], notes)
  const milliseconds = takeOtherNumber(config, ['max_duration_ms'], notes)
  const found = [
    ...(calls === null ? [] : [{ type: 'max_tool_calls', value: calls, ...marks }]),
    ...(milliseconds === null ? [] : [{ type: 'latency', max_ms: milliseconds, ...marks }]),
    ...toolsUsed(takeOtherTexts(config, ['required_tools'], notes), marks),
    ...toolsNotUsed(takeOtherTexts(config, ['forbidden_tools'], notes), marks),
  ]
  const losses = {
    max_tokens: 'write a check tokens_at_most; Whetstone also counts cached tokens',
    max_iterations: 'write a check turns_at_most',
  }
  nameUnread(config, { what: 'behavior', known: [], losses }, notes)
  return found
}

const why: Readonly<Record<string, string>> = {
  code: 'expressions of its own language are not run',
  script: 'a script of this tool gets another input than here',
  program: 'a program of this tool gets another input than a "script" check',
  skill_invocation: 'whether a run reads the skill is always recorded',
  json_schema: 'write a check json_schema, which says where the JSON is',
  diff: 'write checks of the files',
  tool_constraint: 'write checks tool_used and tool_not_used with the names of your engine',
  trigger: 'whether a run reads the skill is always recorded',
}

/** Its configuration is in `config`, or next to its type. */
export function readWazaGrader({ value, at }: { value: unknown; at: string }, notes: FieldNotes): unknown[] {
  if (!isJsonObject(value)) {
    notes.refuse(`${at} is not a grader`)
    return []
  }
  const { config, ...outer } = value
  const fields = openFieldReader({ ...outer, ...(isJsonObject(config) ? config : {}) }, `${at}`)
  if (config !== undefined && config !== null && !isJsonObject(config)) notes.refuse(`${at}.config is not an object`)
  const type = takeOtherText(fields, ['type'], notes) ?? ''
  const name = takeOtherText(fields, ['name'], notes)
  const weight = takeOtherNumber(fields, ['weight'], notes)
  const reading = Object.hasOwn(readings, type) ? readings[type] : undefined
  if (reading === undefined) {
    const label = name === null ? '' : ` "${name}"`
    notes.warn(at, `the grader${label} of type "${type}" is not read: ${why[type] ?? 'no check is its equal'}`)
    return []
  }
  const found = reading(fields, weight === null ? {} : { weight }, notes)
  const losses = { model: settingLosses.judge, continue_session: 'a judge has its own session', mode: '' }
  nameUnread(fields, { what: `a grader of type "${type}"`, known: [], losses }, notes)
  return found
}
