/** Reads Vally's eval.yaml: stimuli with graders, some with several turns. */
import { isJsonObject, readNonEmptyText } from '../../phases/1-plan/formats/evals_json/fields.ts'
import {
  answerHas,
  answerLacks,
  filesAbsent,
  filesExist,
  fileText,
  type Item,
  parseSeconds,
  toolsNotUsed,
  toolsUsed,
} from './other_criteria.ts'
import { dropEmpty, hasItems, type OtherCase, type OtherSystem, readEachCase, splitCriteria } from './other_suite.ts'
import { type FieldNotes, isOtherSkill, type NamedItem, type OtherFields, settingLosses } from './read_fields.ts'

export const vally: OtherSystem = {
  title: 'Vally',
  signs: [
    {
      words: 'a list "stimuli" whose items have a "prompt" or "turns"',
      holds: (document) => hasItems(document, ['stimuli'], ['prompt', 'turns']),
    },
  ],
  async read(fields, { base, skill, warn }) {
    const defaults = fields.inner('defaults', 'config')
    const timeout = readTimeout(defaults, null)
    defaults.rest('"defaults"', ['timeout'], settings)
    const shared = readEnvironment(fields.inner('environment'))
    const cases = await readEachCase(fields.list('stimuli'), warn, (of, one) => {
      readStimulus(of, one, { timeout, skill, ...shared })
    })
    fields.rest('the file', ['stimuli', 'defaults', 'environment'], settings)
    return { skillName: null, base, cases }
  },
}

const settings = {
  runs: settingLosses.runs,
  executor: settingLosses.engine,
  model: settingLosses.model,
  judge_model: settingLosses.judge,
  judge_reasoning_effort: settingLosses.judge,
  scoring: settingLosses.threshold,
}

const known = ['name', 'prompt', 'turns', 'graders', 'rubric', 'environment', 'constraints', 'timeout']

/** Its own, else the usual one. */
function readTimeout(fields: OtherFields, usual: number | null): number | null {
  const own = fields.value('timeout')
  const seconds = own === undefined ? usual : parseSeconds(own)
  if (own !== undefined && seconds === null) fields.notes.refuse(`${fields.at}.timeout is not a time, such as 60s`)
  return seconds
}

function readStimulus(
  fields: OtherFields,
  one: OtherCase,
  { timeout, skill, ...shared }: { timeout: number | null; skill: string } & Environment,
): void {
  const name = fields.text('name')
  const own = readEnvironment(fields.inner('environment'))
  one.inputs.push(...shared.files, ...own.files)
  const prompt = fields.text('prompt')
  const turns = fields.texts('turns')
  const [first, ...later] = prompt === null ? turns : [prompt, ...turns]
  one.object = dropEmpty({
    eval_key: name,
    name,
    prompt: first ?? null,
    turns: later,
    timeout: readTimeout(fields, timeout),
    setup: [...shared.commands, ...own.commands],
    expectations: fields.texts('rubric'),
    ...splitCriteria(fields.items('graders').flatMap((grader) => readGrader(grader, skill))),
  })
  fields.rest('a stimulus', known)
}

interface Environment {
  files: OtherCase['inputs']
  /** Of a shell, before the agent starts. */
  commands: string[]
}

function readEnvironment(fields: OtherFields): Environment {
  const files = fields.items('files', 'src').flatMap((file) => {
    const from = file.text('src', 'source', 'path')
    const to = file.text('dest') ?? from
    file.rest('a file', ['src', 'dest'])
    if (from === null || to === null) file.notes.refuse(`${file.at} has no "src"`)
    return from === null || to === null ? [] : [{ from, to, at: file.at }]
  })
  const commands = fields.texts('commands')
  const losses = { skills: 'the skill under test is the one that you give; add others with --among' }
  fields.rest('"environment"', ['files', 'commands'], losses)
  return { files, commands }
}

/** By the type of the grader: the criteria of its configuration. */
const graders: Readonly<Record<string, (config: OtherFields, marks: Item, skill: string) => unknown[]>> = {
  'output-contains': (config, marks) => {
    const words = readWords(config)
    return config.flag('negate') ? answerLacks.textsInAnyCase(words, marks) : answerHas.textsInAnyCase(words, marks)
  },
  'output-not-contains': (config, marks) => answerLacks.textsInAnyCase(readWords(config), marks),
  'output-matches': (config, marks) => {
    const patterns = config.texts('pattern')
    return config.flag('negate') ? answerLacks.patterns(patterns, marks) : answerHas.patterns(patterns, marks)
  },
  'output-not-matches': (config, marks) => answerLacks.patterns(config.texts('pattern'), marks),
  prompt: (config, marks) => {
    const text = config.text('prompt', 'rubric')
    return text === null ? [] : [{ ...marks, text }]
  },
  'file-exists': (config, marks) => filesExist(config.texts('path', 'paths'), marks),
  'file-not-exists': (config, marks) => filesAbsent(config.texts('path', 'paths'), marks),
  'file-contains': fileText('file_contains'),
  'file-not-contains': fileText('file_not_contains'),
  'file-matches': fileText('file_matches'),
  'file-not-matches': fileText('not_regex'),
  'wall-time': (config, marks) => {
    const seconds = parseSeconds(config.value('max'))
    if (seconds === null) config.notes.refuse(`${config.at} has no "max" that is a time, such as 60s`)
    return seconds === null ? [] : [{ ...marks, type: 'latency', max_ms: seconds * 1000 }]
  },
  'tool-calls': (config, marks) => {
    const wanted = readCalls(config.list('expect', 'required'), config.notes)
    const refused = readCalls(config.list('reject', 'forbidden', 'disallowed'), config.notes)
    return [
      ...toolsUsed(wanted.names, marks),
      ...wanted.described.map((call) => ({ ...marks, text: `The agent called a tool where ${call}` })),
      ...toolsNotUsed(refused.names, marks),
      ...refused.described.map((call) => ({ ...marks, text: `The agent called no tool where ${call}` })),
    ]
  },
  'tool-call-count': (config, marks) => {
    const most = config.object.max === 0 ? 0 : config.number('max')
    config.value('max')
    return most === null ? [] : [{ ...marks, type: 'max_tool_calls', value: most }]
  },
  'skill-invocation': (config, _, skill) => [
    ...config.texts('required').map((name) => {
      if (isOtherSkill(name, skill)) config.notes.refuse(`${config.at}: ${name} is not the skill under test`)
      return { own: { type: 'skill_read' } }
    }),
    ...config.texts('disallowed').map((name) => ({ text: `The agent did not use the skill ${name}`, indicator: true })),
  ],
}

const byRun = 'a run that breaks is recorded and graded by itself'

/** Types that are not read here. */
const why = {
  completed: byRun,
  'error-count': byRun,
  'exit-success': byRun,
  'run-command': 'a command of this tool runs in another place; write a "command" check in an evals.json',
  pairwise: '`whetstone compare` judges pairs of runs',
}

/** Names of tools, and calls that patterns describe: a judge decides those, because tools have other names here. */
function readCalls(items: readonly NamedItem[], notes: FieldNotes) {
  const names: string[] = []
  const described: string[] = []
  for (const { value, at } of items) {
    const name = readNonEmptyText(value)
    const { args, ...outer } = isJsonObject(value) ? value : {}
    const parts = Object.entries({ ...outer, ...(isJsonObject(args) ? args : args !== undefined && { args }) })
    if (name !== null) names.push(name)
    else if (parts.length > 0 && parts.every(([, part]) => typeof part === 'string'))
      described.push(parts.map(([key, pattern]) => `its ${key} matches /${String(pattern)}/`).join(' and '))
    else notes.refuse(`${at} is neither the name of a tool nor an object of patterns`)
  }
  return { names, described }
}

function readWords(config: OtherFields): string[] {
  return config.texts('substring', 'substrings', 'value', 'text')
}

/** Graders that are not about one answer. */
const ofRun: ReadonlySet<string> = new Set(['wall-time', 'tool-calls', 'tool-call-count', 'skill-invocation'])

function readGrader(fields: OtherFields, skill: string): readonly unknown[] {
  const { notes } = fields
  const read = fields.chooseRow(graders, why)
  const type = String(fields.object.type)
  const text = fields.text('name')
  const weight = fields.number('weight')
  const isTurn = (one: unknown) => Number.isInteger(one) && Number(one) >= 0 && Number(one) < 1e6 // 0 is the first
  const turn = fields.take('turn', isTurn)
  if (turn === null && fields.value('turn') !== undefined)
    notes.refuse(`${fields.at}.turn is not the number of a message, from 0`)
  const config = fields.inner('config')
  if (read === null) return []
  const ofTurn = turn === null ? {} : { turn: Number(turn.value) + 1 }
  const isOfRun = ofRun.has(type)
  if (isOfRun && turn !== null)
    notes.warn(turn.at, `"turn" of a grader "${type}" is not read: it is about the whole run`)
  const found = read(config, dropEmpty({ description: text, weight, ...(isOfRun ? {} : ofTurn) }), skill)
  const losses = { threshold: settingLosses.threshold, scoring: settingLosses.threshold, model: settingLosses.judge }
  config.rest('a grader', [], losses)
  fields.rest('a grader', ['type', 'config', 'weight', 'turn'], losses)
  return config.requireCriteria(found, `a grader "${type}"`)
}
