/** Reads what decides about a skill-up case: expect, and the judges rule_based, agent_judge and script. */
import { type FieldReader, isJsonObject, openFieldReader } from '../../evals_json/fields.ts'
import { readNamedFile } from '../named_text.ts'
import { answerHas, answerLacks, filesAbsent, filesExist, toolsNotUsed, toolsUsed } from '../other_criteria.ts'
import type { OwnCheck } from '../other_suite.ts'
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
export async function readJudges(fields: FieldReader, shared: readonly Item[], place: JudgePlace): Promise<unknown[]> {
  const own = [...takeOtherList(fields, ['judge']), ...takeOtherList(fields, ['judges'])]
  const found: unknown[] = []
  for (const { value, at } of own.length > 0 ? own : shared) {
    if (isJsonObject(value)) found.push(...(await readOneJudge(openFieldReader(value, at), place)))
    else place.notes.refuse(`${at} is not a judge`)
  }
  return found
}

/** `root`: the skill's folder, absolute. */
interface JudgePlace {
  root: string
  notes: FieldNotes
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
  weight: 'each criterion weighs 1',
}

async function readOneJudge(fields: FieldReader, { root, notes }: JudgePlace): Promise<unknown[]> {
  const type = takeOtherText(fields, ['type'], notes)
  const statements = takeOtherTexts(fields, ['criteria'], notes).map((text) => ({ text }))
  const rules = takeOtherList(fields, ['success']).flatMap((item) => readRule(item, false, notes))
  const never = takeOtherList(fields, ['failure']).flatMap((item) => readRule(item, true, notes))
  const scripts = type === 'script' ? await readScript(fields, { root, notes }) : []
  nameUnread(fields, { what: 'a judge', known: ['type', 'criteria', 'success', 'failure'], losses: ofJudge }, notes)
  return [...statements, ...rules, ...never, ...scripts]
}

/** The script gets the answer as a variable of the environment, and its exit code decides. */
async function readScript(fields: FieldReader, { root, notes }: JudgePlace): Promise<OwnCheck[]> {
  const script = takeOtherText(fields, ['script_path'], notes)
  const timeout = takeOtherNumber(fields, ['timeout_seconds'], notes) ?? 30
  const text = script === null ? null : await readNamedFile(script, root)
  const interpreter = /\.sh$/.test(script ?? '') ? 'bash' : /\.py$/.test(script ?? '') ? 'python3' : null
  const why = explainUnreadScript(text, interpreter)
  if (why !== null) {
    notes.warn(fields.at, `the judge "script" is not read: ${why}`)
    return []
  }
  const code = [
    `const { status, stdout, error } = require('node:child_process').spawnSync('${interpreter}', [${JSON.stringify(script)}], {`,
    "  encoding: 'utf8',",
    "  env: { ...process.env, EVAL_FINAL_MESSAGE: output, EVAL_EXIT_CODE: '0' },",
    '})',
    'if (error) return error.message',
    "return { pass: status === 0, reason: stdout.trim() || 'exit code ' + status }",
  ].join('\n')
  return [{ own: { type: 'javascript', code, timeout, files: [script], text: `The script ${script} passes` } }]
}

/** null: it can run here. */
function explainUnreadScript(text: string | null, interpreter: string | null): string | null {
  if (text === null) return "its script is not a text file in the skill's folder"
  if (text.includes('EVAL_TRANSCRIPT_PATH')) return 'its script reads the transcript of skill-up'
  return interpreter === null ? 'its script is neither .sh nor .py' : null
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
