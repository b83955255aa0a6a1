/** Reads the graders of waza, each by its type. */
import { isJsonObject } from '../../phases/1-plan/formats/evals_json/fields.ts'
import { answerHas, answerLacks, filesAbsent, filesExist, toolsNotUsed, toolsUsed } from './other_criteria.ts'
import { type FieldNotes, type NamedItem, OtherFields, settingLosses } from './read_fields.ts'

type Marks = Readonly<Record<string, unknown>>
type Reading = (config: OtherFields, marks: Marks) => unknown[]

const readings: Readonly<Record<string, Reading>> = {
  text: readText,
  regex: readText,
  keyword: (config, marks) => [
    ...answerHas.textsInAnyCase(config.texts('must_contain'), marks),
    ...answerLacks.textsInAnyCase(config.texts('must_not_contain'), marks),
  ],
  file: readFile,
  behavior: readBehavior,
  prompt: readPrompt,
  llm: readPrompt,
  action_sequence: (config, marks) => {
    const mode = config.text('matching_mode') ?? 'in_order_match'
    const tools = config.texts('expected_actions')
    const modes: Readonly<Record<string, string>> = { exact_match: 'exact', any_order_match: 'superset' }
    return tools.length === 0 ? [] : [{ type: 'tool_order', tools, mode: modes[mode] ?? 'in_order', ...marks }]
  },
}

function readText(config: OtherFields, marks: Marks): unknown[] {
  const texts = (name: string) => config.texts(name)
  return [
    ...answerHas.textsInAnyCase(texts('contains'), marks),
    ...answerLacks.textsInAnyCase(texts('not_contains'), marks),
    ...answerHas.texts(texts('contains_cs'), marks),
    ...answerLacks.texts(texts('not_contains_cs'), marks),
    ...answerHas.patterns([...texts('regex_match'), ...texts('must_match')], marks),
    ...answerLacks.patterns([...texts('regex_not_match'), ...texts('must_not_match')], marks),
  ]
}

function readFile(config: OtherFields, marks: Marks): unknown[] {
  const contents = config.items('content_patterns').flatMap((fields) => {
    const path = fields.text('path')
    if (path === null) fields.notes.refuse(`${fields.at} has no "path"`)
    const found = [
      ...fields.texts('must_match').map((pattern) => ({ type: 'file_matches', pattern })),
      ...fields.texts('must_not_match').map((pattern) => ({ type: 'not-regex', pattern })),
    ]
    fields.rest('a pattern', ['path', 'must_match', 'must_not_match'])
    return path === null ? [] : found.map((one) => ({ ...one, path, ...marks }))
  })
  return [
    ...filesExist(config.texts('must_exist'), marks),
    ...filesAbsent(config.texts('must_not_exist'), marks),
    ...contents,
  ]
}

function readPrompt(config: OtherFields, marks: Marks): unknown[] {
  const text = config.text('prompt', 'rubric')
  return text === null ? [] : [{ text, ...marks }]
}

export function readBehavior(config: OtherFields, marks: Marks): unknown[] {
  const calls = config.number('max_tool_calls')
  const milliseconds = config.number('max_duration_ms')
  const found = [
    ...(calls === null ? [] : [{ type: 'max_tool_calls', value: calls, ...marks }]),
    ...(milliseconds === null ? [] : [{ type: 'latency', max_ms: milliseconds, ...marks }]),
    ...toolsUsed(config.texts('required_tools'), marks),
    ...toolsNotUsed(config.texts('forbidden_tools'), marks),
  ]
  const losses = {
    max_tokens: 'write a check tokens_at_most; Whetstone also counts cached tokens',
    max_iterations: 'write a check turns_at_most',
  }
  config.rest('behavior', [], losses)
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
export function readWazaGrader({ value, at }: NamedItem, notes: FieldNotes): unknown[] {
  if (!isJsonObject(value)) {
    notes.refuse(`${at} is not a grader`)
    return []
  }
  const { config, ...outer } = value
  const fields = new OtherFields({ ...outer, ...(isJsonObject(config) ? config : {}) }, at, notes)
  if (config !== undefined && config !== null && !isJsonObject(config)) notes.refuse(`${at}.config is not an object`)
  const type = fields.text('type') ?? ''
  const name = fields.text('name')
  const weight = fields.number('weight')
  const reading = Object.hasOwn(readings, type) ? readings[type] : undefined
  if (reading === undefined) {
    const label = name === null ? '' : ` "${name}"`
    notes.warn(at, `the grader${label} of type "${type}" is not read: ${why[type] ?? 'no check is its equal'}`)
    return []
  }
  const found = reading(fields, weight === null ? {} : { weight })
  const losses = { model: settingLosses.judge, continue_session: 'a judge has its own session', mode: '' }
  fields.rest(`a grader of type "${type}"`, [], losses)
  return found
}
