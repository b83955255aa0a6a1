/** Reads waza's eval.yaml: tasks in files of their own or in the file, with graders. https://github.com/microsoft/waza */
import path from 'node:path'
import { glob } from 'tinyglobby'
import { readText } from '../../../../base/json/json.ts'
import { readYaml } from '../../../../base/text/yaml.ts'
import { type FieldReader, isJsonObject, openFieldReader, readNonEmptyText } from '../evals_json/fields.ts'
import { answerHas, answerLacks } from './other_criteria.ts'
import {
  createFileNotes,
  dropEmpty,
  type OtherCase,
  type OtherPlace,
  type OtherSystem,
  readEachCase,
} from './other_suite.ts'
import {
  type FieldNotes,
  nameUnread,
  settingLosses,
  takeOtherList,
  takeOtherNumber,
  takeOtherObject,
  takeOtherText,
  takeOtherTexts,
} from './read_fields.ts'
import { hasField, hasItems } from './signs.ts'
import { readBehavior, readWazaGrader } from './waza/graders.ts'

export const waza: OtherSystem = {
  title: 'waza',
  signs: [
    {
      words: 'a list "tasks" of file patterns, or of tasks with a "prompt" or "inputs"',
      holds: (document) => hasItems(document, ['tasks'], isTask),
    },
    { words: '"skill", "graders", "metrics" or "config"', holds: (document) => hasField(document, around) },
  ],
  async read(document, place) {
    const { file, warn } = place
    const fields = openFieldReader(isJsonObject(document) ? document : {}, '$')
    const notes = createFileNotes(warn)
    const skillName = takeOtherText(fields, ['skill'], notes)
    const config = takeOtherObject(fields, ['config'], notes)
    const timeout = config === null ? null : takeOtherNumber(config.fields, ['timeout_seconds'], notes)
    if (config !== null)
      nameUnread(config.fields, { what: '"config"', known: ['timeout_seconds'], losses: ofConfig }, notes)
    const graders = takeOtherList(fields, ['graders'])
    const items = await listTasks(takeOtherList(fields, ['tasks']), place)
    const base = path.dirname(file)
    const cases = await readEachCase(items, warn, (of, one, own) => readTask(of, { one, timeout, graders, notes: own }))
    nameUnread(fields, { what: 'the file', known: ['skill', 'config', 'graders', 'tasks'], losses: ofFile }, notes)
    return { skillName, base, cases }
  },
}

const around = ['skill', 'graders', 'metrics', 'config', 'executor']

function isTask(item: unknown): boolean {
  return readNonEmptyText(item) !== null || (isJsonObject(item) && ('prompt' in item || 'inputs' in item))
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
  mcp_servers: 'write them into "environment" of an evals.json',
  group_by: '',
}

const ofFile = {
  metrics: settingLosses.threshold,
  executor: settingLosses.engine,
  hooks: 'write "setup" and "teardown" of an evals.json',
  inputs: 'variables of tasks',
  tasks_from: 'list the files in "tasks"',
  range: 'choose with --case',
  baseline: 'bench runs both configurations',
}

interface Item {
  value: unknown
  at: string
}

/** Tasks in the file, and one for each document that a pattern finds. */
async function listTasks(items: readonly Item[], { file, warn }: OtherPlace): Promise<Item[]> {
  const found: Item[] = []
  for (const item of items) {
    const pattern = readNonEmptyText(item.value)
    if (pattern === null) {
      found.push(item)
      continue
    }
    const base = path.dirname(file)
    const isInside = !path.isAbsolute(pattern) && !pattern.split('/').includes('..')
    const names = isInside ? (await glob(pattern, { cwd: base, dot: true })).sort() : []
    const why = isInside ? 'no file matches it' : "it leads out of the suite's folder"
    if (names.length === 0) warn(item.at, `the tasks of "${pattern}" are not read: ${why}`)
    for (const name of names) {
      const yaml = readYaml((await readText(path.join(base, name))).replace(/^\uFEFF/, ''))
      if (yaml.ok) found.push({ value: yaml.value, at: `${name} $` })
      else found.push({ value: { id: name, broken: `${name}:${yaml.at.line}: ${yaml.message}` }, at: `${name} $` })
    }
  }
  return found
}

interface Task {
  one: OtherCase
  timeout: number | null
  /** Of the suite, for every task. */
  graders: readonly Item[]
  notes: FieldNotes
}

const known = [
  ...['id', 'name', 'prompt', 'inputs', 'expected', 'graders', 'validators', 'enabled', 'timeout_seconds'],
  'context_dir',
]

function readTask(fields: FieldReader, { one, timeout, graders, notes }: Task): void {
  const broken = fields.take(['broken'])
  if (broken !== null) notes.refuse(String(broken.value))
  const id = takeOtherText(fields, ['id'], notes)
  const name = takeOtherText(fields, ['name'], notes)
  const folder = takeOtherText(fields, ['context_dir'], notes) ?? 'fixtures'
  const inputs = takeOtherObject(fields, ['inputs'], notes)
  const prompt =
    inputs === null ? takeOtherText(fields, ['prompt'], notes) : readInputs(inputs.fields, folder, one, notes)
  if (fields.take(['enabled'], (value) => value === false) !== null) notes.refuse('it is disabled: "enabled" is false')
  fields.take(['enabled'], (value) => value === true)
  const own = [...takeOtherList(fields, ['graders']), ...takeOtherList(fields, ['validators'])]
  const expected = fields.take(['expected'], (value) => isJsonObject(value))
  const wanted = isJsonObject(expected?.value) ? openFieldReader(expected.value, expected.at) : null
  one.object = dropEmpty({
    ...one.object,
    eval_key: id,
    name: name ?? id,
    prompt,
    timeout: takeOtherNumber(fields, ['timeout_seconds'], notes) ?? timeout,
    expected_output: expected === null ? takeOtherText(fields, ['expected'], notes) : null,
    assertions: [
      ...(wanted === null ? [] : readExpected(wanted, notes)),
      ...[...own, ...graders].flatMap((item) => readWazaGrader(item, notes)),
    ],
  })
  nameUnread(fields, { what: 'a task', known, losses: {} }, notes)
}

/** Returns the prompt. Files are in the folder of fixtures. */
function readInputs(fields: FieldReader, folder: string, one: OtherCase, notes: FieldNotes): string | null {
  const prompt = takeOtherText(fields, ['prompt'], notes)
  for (const { value, at } of takeOtherList(fields, ['files'])) {
    const file = openFieldReader(isJsonObject(value) ? value : { path: value }, at)
    const name = takeOtherText(file, ['path'], notes)
    const content = file.take(['content'], (text) => typeof text === 'string')
    if (name === null) notes.refuse(`${at} has no "path"`)
    else if (content !== null) one.texts[name] = String(content.value)
    else one.inputs.push({ from: path.posix.join(folder, name), to: name, at })
    nameUnread(file, { what: 'a file of a task', known: ['path', 'content'], losses: {} }, notes)
  }
  const env = takeOtherObject(fields, ['environment'], notes)
  if (env !== null) one.object.env = env.object
  const losses = { context: 'only the prompt and files reach the agent' }
  nameUnread(fields, { what: '"inputs"', known: ['prompt', 'files', 'environment'], losses }, notes)
  return prompt
}

function readExpected(fields: FieldReader, notes: FieldNotes): unknown[] {
  const behavior = takeOtherObject(fields, ['behavior'], notes)
  const found = [
    ...answerHas.textsInAnyCase(takeOtherTexts(fields, ['output_contains'], notes)),
    ...answerHas.anyTextInAnyCase(takeOtherTexts(fields, ['output_contains_any'], notes)),
    ...answerLacks.textsInAnyCase(takeOtherTexts(fields, ['output_not_contains'], notes)),
    ...(behavior === null ? [] : readBehavior(behavior.fields, {}, notes)),
  ]
  const losses = {
    outcomes: 'write a grader',
    tool_calls: 'write a grader of type "tool_constraint" or "behavior"',
    should_trigger: 'whether a run reads the skill is always recorded; `whetstone triggers` measures when it should',
  }
  nameUnread(fields, { what: '"expected"', known: ['output_contains', 'output_not_contains'], losses }, notes)
  return found
}
