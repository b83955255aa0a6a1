/** Reads Vally's eval.yaml: stimuli with graders, some with several turns. */
import path from 'node:path'
import { type FieldReader, isJsonObject, openFieldReader, readNonEmptyText } from '../evals_json/fields.ts'
import {
  answerHas,
  answerLacks,
  filesAbsent,
  filesExist,
  parseSeconds,
  toolsNotUsed,
  toolsUsed,
} from './other_criteria.ts'
import {
  createFileNotes,
  dropEmpty,
  type OtherCase,
  type OtherSystem,
  type OwnCheck,
  readEachCase,
  splitCriteria,
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
import { hasItems } from './signs.ts'

export const vally: OtherSystem = {
  title: 'Vally',
  signs: [
    {
      words: 'a list "stimuli" whose items have a "prompt" or "turns"',
      holds: (document) =>
        hasItems(document, ['stimuli'], (item) => isJsonObject(item) && ('prompt' in item || 'turns' in item)),
    },
  ],
  async read(document, { file, warn }) {
    const fields = openFieldReader(isJsonObject(document) ? document : {}, '$')
    const notes = createFileNotes(warn)
    const defaults = takeOtherObject(fields, ['defaults', 'config'], notes)
    const timeout = defaults === null ? null : parseSeconds(defaults.fields.take(['timeout'])?.value)
    if (defaults !== null)
      nameUnread(defaults.fields, { what: '"defaults"', known: ['timeout'], losses: settings }, notes)
    const environment = takeOtherObject(fields, ['environment'], notes)
    const shared = environment === null ? [] : readEnvironment(environment.fields, notes)
    const cases = await readEachCase(takeOtherList(fields, ['stimuli']), warn, (of, one, own) => {
      one.inputs.push(...shared)
      readStimulus(of, { one, timeout, notes: own })
    })
    nameUnread(fields, { what: 'the file', known: ['stimuli', 'defaults', 'environment'], losses: settings }, notes)
    return { skillName: null, base: path.dirname(file), cases }
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

interface Stimulus {
  one: OtherCase
  timeout: number | null
  notes: FieldNotes
}

const known = ['name', 'prompt', 'turns', 'graders', 'rubric', 'environment', 'constraints', 'timeout']

function readStimulus(fields: FieldReader, { one, timeout, notes }: Stimulus): void {
  const name = takeOtherText(fields, ['name'], notes)
  const environment = takeOtherObject(fields, ['environment'], notes)
  if (environment !== null) one.inputs.push(...readEnvironment(environment.fields, notes))
  const prompt = takeOtherText(fields, ['prompt'], notes)
  const turns = takeOtherTexts(fields, ['turns'], notes)
  const [first, ...later] = prompt === null ? turns : [prompt, ...turns]
  one.object = dropEmpty({
    eval_key: name,
    name,
    prompt: first ?? null,
    turns: later,
    timeout: timeout ?? takeOtherNumber(fields, ['timeout'], notes),
    expectations: takeOtherTexts(fields, ['rubric'], notes),
    ...splitCriteria(takeOtherList(fields, ['graders']).flatMap((item) => readGrader(item, notes))),
  })
  nameUnread(fields, { what: 'a stimulus', known, losses: {} }, notes)
}

function readEnvironment(fields: FieldReader, notes: FieldNotes): OtherCase['inputs'] {
  const inputs = takeOtherList(fields, ['files']).flatMap(({ value, at }) => {
    const file = openFieldReader(isJsonObject(value) ? value : { src: value }, at)
    const from = takeOtherText(file, ['src', 'source', 'path'], notes)
    const to = takeOtherText(file, ['dest'], notes) ?? from
    nameUnread(file, { what: 'a file', known: ['src', 'dest'], losses: {} }, notes)
    if (from === null || to === null) notes.refuse(`${at} has no "src"`)
    return from === null || to === null ? [] : [{ from, to, at }]
  })
  const losses = { skills: 'the skill under test is the one that you give; add others with --among' }
  nameUnread(fields, { what: '"environment"', known: ['files'], losses }, notes)
  return inputs
}

/** By the type of the grader: the criteria of its configuration. */
const graders: Readonly<Record<string, (config: FieldReader, notes: FieldNotes, marks: Marks) => unknown[]>> = {
  'output-contains': (config, notes, marks) =>
    readWords(config, notes).flatMap((word) =>
      isNegated(config) ? answerLacks.textsInAnyCase([word], marks) : answerHas.textsInAnyCase([word], marks),
    ),
  'output-not-contains': (config, notes, marks) => answerLacks.textsInAnyCase(readWords(config, notes), marks),
  'output-matches': (config, notes, marks) => {
    const patterns = takeOtherTexts(config, ['pattern'], notes)
    return isNegated(config) ? answerLacks.patterns(patterns, marks) : answerHas.patterns(patterns, marks)
  },
  'output-not-matches': (config, notes, marks) =>
    answerLacks.patterns(takeOtherTexts(config, ['pattern'], notes), marks),
  prompt: (config, notes, marks) => {
    const text = takeOtherText(config, ['prompt', 'rubric'], notes)
    return text === null ? [] : [{ ...marks, text }]
  },
  'file-exists': (config, notes) => filesExist(takeOtherTexts(config, ['path', 'paths'], notes)),
  'file-not-exists': (config, notes) => filesAbsent(takeOtherTexts(config, ['path', 'paths'], notes)),
  'wall-time': (config, notes) => {
    const taken = config.take(['max'])
    const seconds = parseSeconds(taken?.value)
    if (seconds === null) notes.refuse(`${config.at} has no "max" that is a time, such as 60s`)
    return seconds === null ? [] : [{ type: 'latency', max_ms: seconds * 1000 }]
  },
  'tool-calls': (config, notes, marks) => {
    const wanted = readCalls(takeOtherList(config, ['expect', 'required']), notes)
    const refused = readCalls(takeOtherList(config, ['reject', 'forbidden', 'disallowed']), notes)
    return [
      ...toolsUsed(wanted.names, marks),
      ...wanted.described.map((call) => ({ ...marks, text: `The agent called a tool where ${call}` })),
      ...toolsNotUsed(refused.names, marks),
      ...refused.described.map((call) => ({ ...marks, text: `The agent called no tool where ${call}` })),
    ]
  },
  'tool-call-count': (config, notes, marks) => {
    const most = takeOtherNumber(config, ['max'], notes)
    return most === null ? [] : [{ ...marks, type: 'max_tool_calls', value: most }]
  },
  'skill-invocation': (config, notes) => [
    ...takeOtherTexts(config, ['required'], notes)
      .slice(0, 1)
      .map((): OwnCheck => ({ own: { type: 'skill_read' } })),
    ...takeOtherTexts(config, ['disallowed'], notes).map((name) => ({
      text: `The agent did not use the skill ${name}`,
      indicator: true,
    })),
  ],
}

type Marks = Readonly<Record<string, unknown>>

/** Names of tools, and calls that patterns describe: a judge decides those, because tools have other names here. */
function readCalls(items: readonly { value: unknown; at: string }[], notes: FieldNotes) {
  const names: string[] = []
  const described: string[] = []
  for (const { value, at } of items) {
    const name = readNonEmptyText(value)
    const parts = isJsonObject(value) ? Object.entries(value).filter(([, part]) => typeof part === 'string') : []
    if (name !== null) names.push(name)
    else if (isJsonObject(value) && parts.length > 0 && parts.length === Object.keys(value).length)
      described.push(parts.map(([key, pattern]) => `its ${key} matches /${String(pattern)}/`).join(' and '))
    else notes.refuse(`${at} is neither the name of a tool nor an object of patterns`)
  }
  return { names, described }
}

function readWords(config: FieldReader, notes: FieldNotes): string[] {
  return takeOtherTexts(config, ['substring', 'substrings', 'value', 'text'], notes)
}

function isNegated(config: FieldReader): boolean {
  const negated = config.take(['negate'], (value) => value === true) !== null
  config.take(['negate'], (value) => value === false)
  return negated
}

/** Graders that are not about one answer. */
const ofRun: ReadonlySet<string | null> = new Set(['wall-time', 'tool-calls', 'tool-call-count', 'skill-invocation'])

function readGrader({ value, at }: { value: unknown; at: string }, notes: FieldNotes): unknown[] {
  const fields = openFieldReader(isJsonObject(value) ? value : {}, at)
  const type = takeOtherText(fields, ['type'], notes)
  const text = takeOtherText(fields, ['name'], notes)
  const weight = takeOtherNumber(fields, ['weight'], notes)
  const turn = fields.take(['turn'], (one) => Number.isInteger(one) && Number(one) >= 0 && Number(one) < 1e6) // 0 is the first
  const config = takeOtherObject(fields, ['config'], notes)?.fields ?? openFieldReader({}, at)
  const read = type === null ? undefined : graders[type]
  if (read === undefined) {
    notes.warn(at, `a grader of type "${type ?? ''}" is not read: no check is its equal`)
    return []
  }
  const ofTurn = turn === null ? {} : { turn: Number(turn.value) + 1 }
  const isOfRun = ofRun.has(type)
  if (isOfRun && turn !== null)
    notes.warn(turn.at, `"turn" of a grader "${type}" is not read: it is about the whole run`)
  const marks = dropEmpty({ description: text, weight, ...(isOfRun ? {} : ofTurn) })
  const found = read(config, notes, marks)
  const losses = { threshold: settingLosses.threshold, scoring: settingLosses.threshold, model: settingLosses.judge }
  nameUnread(config, { what: 'a grader', known: [], losses }, notes)
  nameUnread(fields, { what: 'a grader', known: ['type', 'config', 'weight', 'turn'], losses }, notes)
  return found
}
