/** Reads waza's eval.yaml: tasks in files of their own or in the file, with graders. https://github.com/microsoft/waza */
import path from 'node:path'
import { glob } from 'tinyglobby'
import { isJsonObject, readNonEmptyText } from '../../phases/1-plan/formats/evals_json/fields.ts'
import { readYamlCase } from './named_text.ts'
import { answerHas, answerLacks, filesAbsent, filesExist, toolsNotUsed, toolsUsed } from './other_criteria.ts'
import {
  collectLists,
  dropEmpty,
  hasField,
  hasItems,
  type OtherCase,
  type OtherPlace,
  type OtherSystem,
  readEachCase,
} from './other_suite.ts'
import { type FieldNotes, type NamedItem, OtherFields, settingLosses } from './read_fields.ts'

export const waza: OtherSystem = {
  title: 'waza',
  signs: [
    {
      words: 'a list "tasks" of file patterns, or of tasks with a "prompt" or "inputs"',
      holds: (document) =>
        hasItems(document, ['tasks'], ['prompt', 'inputs']) ||
        collectLists(document, ['tasks']).some((list) => list.some((item) => readNonEmptyText(item) !== null)),
    },
    {
      words: '"skill", "graders", "metrics" or "config"',
      holds: (document) => hasField(document, ['skill', 'graders', 'metrics', 'config', 'executor']),
    },
  ],
  async read(fields, place) {
    const skillName = fields.text('skill')
    const config = fields.inner('config')
    const timeout = config.number('timeout_seconds')
    config.rest('"config"', ['timeout_seconds'], ofConfig)
    const { object: vars, at: ofVars } = fields.inner('inputs')
    const graders = fields.list('graders').map((item) => fillVariables(item, vars))
    for (const { broken } of graders) if (broken !== undefined) fields.notes.refuse(broken)
    const tasks = await listTasks(fields.list('tasks'), place)
    const written = JSON.stringify([fields.object.graders, tasks])
    for (const name of Object.keys(vars))
      if (!written.includes(`.Vars.${name}`)) place.warn(`${ofVars}.${name}`, `"${name}" of "inputs" is in no prompt`)
    const filled = tasks.map((item) => fillVariables(item, vars))
    const cases = await readEachCase(filled, place.warn, (of, one) => readTask(of, one, { timeout, graders }))
    fields.rest('the file', ['skill', 'config', 'graders', 'tasks', 'inputs'], ofFile)
    return { skillName, base: place.base, cases }
  },
}

const ofConfig = {
  trials_per_task: settingLosses.runs,
  parallel: settingLosses.parallel,
  max_workers: settingLosses.parallel,
  fail_fast: 'every case runs',
  executor: settingLosses.engine,
  model: settingLosses.model,
  judge_model: settingLosses.judge,
  max_attempts: 'choose with --retries',
  skill_directories: 'add other skills with --among',
  required_skills: 'add other skills with --among',
  group_by: '',
}

const ofFile = {
  metrics: settingLosses.threshold,
  executor: settingLosses.engine,
  tasks_from: 'list the files in "tasks"',
  range: 'choose with --case',
  baseline: 'bench runs both configurations',
}

/** `{{.Vars.name}}` is the value of "inputs" of the file. */
function fillVariables({ value, at, broken }: NamedItem, vars: Record<string, unknown>): NamedItem {
  let lacks = broken
  const filled = JSON.stringify(value ?? null).replaceAll(/\{\{\s*\.(Vars\.)?(\w+)\s*\}\}/g, (written, isVar, name) => {
    const found = vars[name]
    if (!isVar && Object.keys(vars).length === 0) return written // a template that the prompt is about
    if (isVar && ['string', 'number', 'boolean'].includes(typeof found))
      return JSON.stringify(String(found)).slice(1, -1)
    lacks ??= `${at}: ${written} has no value in "inputs" of the file`
    return written
  })
  return { value: JSON.parse(filled), at, broken: lacks }
}

/** Tasks in the file, and one for each document that a pattern finds. */
async function listTasks(items: readonly NamedItem[], { base }: OtherPlace): Promise<NamedItem[]> {
  const found: NamedItem[] = []
  for (const item of items) {
    const pattern = readNonEmptyText(item.value)
    if (pattern === null) {
      found.push(item)
      continue
    }
    const isInside = !path.isAbsolute(pattern) && !pattern.split('/').includes('..')
    const names = isInside ? (await glob(pattern, { cwd: base, dot: true })).sort() : []
    const why = isInside ? 'no file matches it' : "it leads out of the suite's folder"
    if (names.length === 0) found.push({ ...item, broken: `the tasks of "${pattern}" are not read: ${why}` })
    for (const name of names) found.push(await readYamlCase(name, base))
  }
  return found
}

const known = [
  ...['id', 'name', 'prompt', 'inputs', 'expected', 'graders', 'validators', 'timeout_seconds'],
  'context_dir',
]

/** `shared`: of the suite, for every task. */
function readTask(
  fields: OtherFields,
  one: OtherCase,
  shared: { timeout: number | null; graders: readonly NamedItem[] },
): void {
  const { notes } = fields
  const id = fields.text('id')
  const name = fields.text('name')
  const folder = fields.text('context_dir') ?? 'fixtures'
  const inputs = fields.inner('inputs')
  const prompt = inputs.isObject ? readInputs(inputs, folder, one) : fields.text('prompt')
  const graders = [...fields.list('graders'), ...fields.list('validators'), ...shared.graders]
  const expected = fields.take('expected', isJsonObject)
  one.object = dropEmpty({
    ...one.object,
    eval_key: id,
    name: name ?? id,
    prompt,
    timeout: fields.number('timeout_seconds') ?? shared.timeout,
    expected_output: fields.text('expected'),
    assertions: [
      ...(expected === null ? [] : readExpected(new OtherFields(expected.value, expected.at, notes))),
      ...graders.flatMap((item) => readWazaGrader(item, notes)),
    ],
  })
  fields.rest('a task', known)
}

/** Returns the prompt. Files are in the folder of fixtures. */
function readInputs(fields: OtherFields, folder: string, one: OtherCase): string | null {
  const prompt = fields.text('prompt')
  for (const file of fields.items('files', 'path')) {
    const name = file.text('path')
    const content = file.take('content', (text) => typeof text === 'string')
    if (name === null) file.notes.refuse(`${file.at} has no "path"`)
    else if (content !== null) one.texts[name] = String(content.value)
    else one.inputs.push({ from: path.posix.join(folder, name), to: name, at: file.at })
    file.rest('a file of a task', ['path', 'content'])
  }
  const env = fields.inner('environment')
  if (env.isObject) one.object.env = env.object
  const losses = { context: 'only the prompt and files reach the agent' }
  fields.rest('"inputs"', ['prompt', 'files', 'environment'], losses)
  return prompt
}

function readExpected(fields: OtherFields): unknown[] {
  const behavior = fields.inner('behavior')
  const found = [
    ...answerHas.textsInAnyCase(fields.texts('output_contains')),
    ...answerHas.anyTextInAnyCase(fields.texts('output_contains_any')),
    ...answerLacks.textsInAnyCase(fields.texts('output_not_contains')),
    ...(behavior.isObject ? readBehavior(behavior, {}) : []),
  ]
  const losses = {
    outcomes: 'write a grader',
    tool_calls: 'write a grader of type "tool_constraint" or "behavior"',
    should_trigger: 'whether a run reads the skill is always recorded; `whetstone triggers` measures when it should',
  }
  fields.rest('"expected"', ['output_contains', 'output_not_contains'], losses)
  return found
}

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
    const given = config.text('matching_mode') ?? 'in_order_match'
    const tools = config.texts('expected_actions')
    const mode = { exact_match: 'exact', any_order_match: 'superset', in_order_match: 'in_order' }[given]
    if (mode === undefined) config.notes.refuse(`${config.at}.matching_mode: "${given}" is not a known mode`)
    return tools.length === 0 ? [] : [{ type: 'tool_order', tools, mode, ...marks }]
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

function readBehavior(config: OtherFields, marks: Marks): unknown[] {
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
function readWazaGrader({ value, at }: NamedItem, notes: FieldNotes): readonly unknown[] {
  const { config, ...outer } = isJsonObject(value) ? value : {}
  const fields = new OtherFields({ ...outer, ...(isJsonObject(config) ? config : {}) }, at, notes)
  if (config !== undefined && config !== null && !isJsonObject(config)) notes.refuse(`${at}.config is not an object`)
  const weight = fields.number('weight')
  const reading = fields.chooseRow(readings, why)
  if (reading === null) return []
  const found = reading(fields, weight === null ? {} : { weight })
  const losses = { model: settingLosses.judge, continue_session: 'a judge has its own session', mode: '' }
  fields.rest(`a grader of type "${outer.type}"`, [], losses)
  return fields.requireCriteria(found, `a grader "${outer.type}"`)
}
