/** Reads what decides about a skill-up case: expect, and the judges rule_based, agent_judge and script. */
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

const exitCode = 'a run that breaks is recorded and graded by itself'

export function readExpect(value: unknown, at: string, notes: FieldNotes): unknown[] {
  if (value === null) return []
  if (!isJsonObject(value)) {
    notes.refuse(`${at} is not an object`)
    return []
  }
  const fields = openFieldReader(value, at)
  const texts = (name: string) => takeOtherTexts(fields, [name], notes)
  const contents = takeOtherList(fields, ['file_contains']).flatMap(({ value: one, at: place }) => {
    const file = openFieldReader(isJsonObject(one) ? one : {}, place)
    const [path, content] = [takeOtherText(file, ['path'], notes), takeOtherText(file, ['content', 'contains'], notes)]
    if (path === null || content === null) notes.refuse(`${place} has no "path" or no "content"`)
    nameUnread(file, { what: 'a file', known: ['path', 'content'], losses: {} }, notes)
    return path === null || content === null ? [] : [{ type: 'file_contains', path, value: content }]
  })
  const found = [
    ...answerHas.texts(texts('must_contain')),
    ...answerLacks.texts(texts('must_not_contain')),
    ...filesExist(texts('files_exist')),
    ...filesAbsent(texts('files_not_exist')),
    ...contents,
  ]
  const losses = { exit_code: exitCode, golden_file: 'write a check similarity, which says how near is near enough' }
  nameUnread(fields, { what: '"expect"', known: ['must_contain', 'files_exist'], losses }, notes)
  return found
}

/** One judge, or a list of them under "judges". `shared`: those of the suite, for a case without one of its own. */
export function readJudges(fields: FieldReader, shared: readonly Item[], notes: FieldNotes): unknown[] {
  const own = [...takeOtherList(fields, ['judge']), ...takeOtherList(fields, ['judges'])]
  return (own.length > 0 ? own : shared).flatMap(({ value, at }) => {
    if (isJsonObject(value)) return readOneJudge(openFieldReader(value, at), notes)
    notes.refuse(`${at} is not a judge`)
    return []
  })
}

interface Item {
  value: unknown
  at: string
}

const ofJudge = {
  model: settingLosses.judge,
  timeout_seconds: settingLosses.timeout,
  pass_threshold: settingLosses.threshold,
  skills: 'a judge has no skills',
  context: 'a judge reads the answer, the transcript and the outputs',
  script_path: 'a script of this tool gets another input than a "script" check',
  weight: 'each criterion weighs 1',
}

function readOneJudge(fields: FieldReader, notes: FieldNotes): unknown[] {
  const type = takeOtherText(fields, ['type'], notes)
  const statements = takeOtherTexts(fields, ['criteria'], notes).map((text) => ({ text }))
  const rules = takeOtherList(fields, ['success']).flatMap((item) => readRule(item, false, notes))
  const never = takeOtherList(fields, ['failure']).flatMap((item) => readRule(item, true, notes))
  if (type === 'script') notes.warn(fields.at, 'the judge "script" is not read: its script gets another input here')
  nameUnread(fields, { what: 'a judge', known: ['type', 'criteria', 'success', 'failure'], losses: ofJudge }, notes)
  return [...statements, ...rules, ...never]
}

type Rule = (rule: FieldReader, notes: FieldNotes) => unknown[]

const rules: Readonly<Record<string, Rule>> = {
  output_contains: (rule, notes) => [
    ...answerHas.texts(takeOtherTexts(rule, ['all'], notes)),
    ...answerHas.anyText(takeOtherTexts(rule, ['any'], notes)),
    ...answerLacks.texts(takeOtherTexts(rule, ['not'], notes)),
  ],
  output_matches: (rule, notes) => [
    ...answerHas.patterns(takeOtherTexts(rule, ['all'], notes)),
    ...anyPattern(takeOtherTexts(rule, ['any'], notes)),
    ...answerLacks.patterns(takeOtherTexts(rule, ['not'], notes)),
  ],
  turn_response_contains: (rule, notes) => {
    const turn = turnOf(rule, notes)
    return [
      ...answerHas.texts(takeOtherTexts(rule, ['contains_all', 'contains'], notes), turn),
      ...answerHas.anyText(takeOtherTexts(rule, ['contains_any'], notes), turn),
    ]
  },
  turn_response_not_contains: (rule, notes) =>
    answerLacks.texts(takeOtherTexts(rule, ['not_contains'], notes), turnOf(rule, notes)),
  tool_called: (rule, notes) => {
    const args = rule.take(['args'], isJsonObject)
    const names = takeOtherTexts(rule, ['name'], notes)
    if (args === null) return toolsUsed(names)
    return names.map((name) => ({ type: 'trajectory:tool-args-match', value: { name, args: args.value } }))
  },
  tool_not_called: (rule, notes) => toolsNotUsed(takeOtherTexts(rule, ['name'], notes)),
  files_exist: (rule, notes) => filesExist(takeOtherTexts(rule, ['all', 'paths'], notes)),
  files_not_exist: (rule, notes) => filesAbsent(takeOtherTexts(rule, ['all', 'paths'], notes)),
}

function turnOf(rule: FieldReader, notes: FieldNotes): { turn?: number } {
  const turn = takeOtherNumber(rule, ['turn'], notes)
  return turn === null ? {} : { turn }
}

/** Without the flags at the start of each, which must be the same in all. */
function anyPattern(patterns: readonly string[]): unknown[] {
  const flags = new Set(patterns.map((pattern) => /^\(\?[ims]+\)/.exec(pattern)?.[0] ?? ''))
  const [flag = ''] = flags
  if (patterns.length === 0) return []
  if (flags.size > 1) return [{ text: `The answer matches one of ${patterns.join(' or ')}` }]
  return answerHas.patterns([`${flag}${patterns.map((one) => `(?:${one.slice(flag.length)})`).join('|')}`])
}

/** A rule of failure says what must not be: texts and patterns of "any" are absent. */
function readRule({ value, at }: { value: unknown; at: string }, isFailure: boolean, notes: FieldNotes): unknown[] {
  if (!isJsonObject(value)) {
    notes.refuse(`${at} is not a rule`)
    return []
  }
  return Object.entries(value).flatMap(([name, given]) => {
    const place = `${at}.${name}`
    if (name === 'exit_code') {
      notes.warn(place, `"exit_code" is not read: ${exitCode}`)
      return []
    }
    const rule = openFieldReader(isJsonObject(given) ? given : { all: given }, place)
    const isAny = isFailure && isJsonObject(given) && Object.keys(given).join() === 'any'
    if (isAny && name === 'output_contains') return answerLacks.texts(takeOtherTexts(rule, ['any'], notes))
    if (isAny && name === 'output_matches') return answerLacks.patterns(takeOtherTexts(rule, ['any'], notes))
    const reading = isFailure || !Object.hasOwn(rules, name) ? undefined : rules[name]
    if (reading === undefined) {
      notes.warn(place, `the rule "${name}" is not read as a check; a judge decides it`)
      const text = `${isFailure ? 'It is not so that' : 'It is so that'} ${name}: ${JSON.stringify(given)}`
      return [{ text }]
    }
    const found = reading(rule, notes)
    nameUnread(rule, { what: `a rule ${name}`, known: ['all', 'any', 'not'], losses: {} }, notes)
    return found
  })
}
