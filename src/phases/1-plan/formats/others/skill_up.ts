/** Reads skill-up's eval.yaml and the case files that it lists, or one case file. https://github.com/alibaba/skill-up */
import path from 'node:path'
import { isInsideFolder } from '../../../../base/fs/inside_folder.ts'
import { readText } from '../../../../base/json/json.ts'
import { readYaml } from '../../../../base/text/yaml.ts'
import { type FieldReader, isJsonObject, openFieldReader, readNonEmptyText } from '../evals_json/fields.ts'
import { answerHas, answerLacks, folderContents } from './other_criteria.ts'
import {
  createFileNotes,
  dropEmpty,
  type OtherCase,
  type OtherPlace,
  type OtherSystem,
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
import { readExpect, readJudges } from './skill_up/criteria.ts'

export const skillUp: OtherSystem = {
  title: 'skill-up',
  signs: [
    {
      words: 'an object "cases" with "files", or one case with "input.prompt" or "input.turns"',
      holds: (document) => isJsonObject(document) && (listsFiles(document.cases) || isCase(document)),
    },
  ],
  async read(document, place) {
    const { root, warn } = place
    if (!isJsonObject(document) || isCase(document)) {
      const one = [{ value: document, at: '$' }]
      const shared = { timeout: null, turns: null, expect: null, judges: [] }
      return { skillName: null, base: root, cases: await readEachCase(one, warn, readOne(root, shared)) }
    }
    const fields = openFieldReader(document, '$')
    const notes = createFileNotes(warn)
    const cases = takeOtherObject(fields, ['cases'], notes)
    const inner = cases?.fields ?? openFieldReader({}, '$.cases')
    const defaults = takeOtherObject(inner, ['defaults'], notes)
    const shared = {
      timeout: defaults === null ? null : takeOtherNumber(defaults.fields, ['timeout_seconds'], notes),
      turns: defaults === null ? null : takeOtherNumber(defaults.fields, ['max_turns'], notes),
      expect: defaults?.fields.take(['expect'])?.value ?? null,
      judges: [...takeOtherList(fields, ['judge']), ...takeOtherList(fields, ['judges'])].filter(hasCriteria),
    }
    if (defaults !== null) nameUnread(defaults.fields, { what: '"defaults"', known: ['expect'], losses: ofCase }, notes)
    const items = await openCaseFiles(takeOtherList(inner, ['files']), place)
    nameUnread(inner, { what: '"cases"', known: ['files', 'defaults'], losses: ofCases }, notes)
    nameUnread(fields, { what: 'the file', known: ['cases', 'judge'], losses: ofFile }, notes)
    return { skillName: null, base: root, cases: await readEachCase(items, warn, readOne(root, shared)) }
  },
}

function listsFiles(cases: unknown): boolean {
  return isJsonObject(cases) && Array.isArray(cases.files)
}

function isCase(document: Record<string, unknown>): boolean {
  const { input } = document
  return isJsonObject(input) && ('prompt' in input || 'turns' in input)
}

/** A judge of the suite that only says which model judges decides nothing of a case. */
function hasCriteria({ value }: Item): boolean {
  return isJsonObject(value) && ['criteria', 'success', 'failure', 'script_path'].some((name) => name in value)
}

const ofCases = { parallelism: settingLosses.parallel, retry_policy: 'choose with --retries' }
const ofFile = {
  environment: settingLosses.sandbox,
  engine: settingLosses.engine,
  skills: 'the skill under test is the one that you give; add others with --among',
  mcp: 'write the servers into "environment" of an evals.json',
  benchmark: 'bench runs both configurations',
  user_simulator: 'choose with --user-model',
  report: 'choose with --reporter',
}
const ofCase = {
  collect_artifacts: 'all files of the working folder are collected',
  max_turns: 'choose with --max-turns',
}

interface Item {
  value: unknown
  at: string
}

/** Paths are relative to the skill's folder. A file that cannot be read is a case that cannot run. */
async function openCaseFiles(items: readonly Item[], { root }: OtherPlace): Promise<Item[]> {
  const found: Item[] = []
  for (const { value, at } of items) {
    const name = readNonEmptyText(value)
    const file = path.resolve(root, name ?? '')
    if (name === null || !isInsideFolder(root, file)) {
      found.push({ value: { id: name ?? at, broken: `${name ?? at}: no such file in the skill's folder` }, at })
      continue
    }
    const yaml = readYaml((await readText(file)).replace(/^\uFEFF/, ''))
    const broken = yaml.ok ? null : `${name}:${yaml.at.line}: ${yaml.message}`
    found.push({ value: yaml.ok ? yaml.value : { id: name, broken }, at: `${name} $` })
  }
  return found
}

interface Shared {
  timeout: number | null
  turns: number | null
  expect: unknown
  /** For cases without one. */
  judges: readonly Item[]
}

const known = ['id', 'input', 'context', 'constraints', 'expect', 'judge', 'user_simulator', 'mcp']

function readOne(root: string, shared: Shared) {
  return async (fields: FieldReader, one: OtherCase, notes: FieldNotes): Promise<void> => {
    const broken = fields.take(['broken'])
    if (broken !== null) notes.refuse(String(broken.value))
    const id = takeOtherText(fields, ['id'], notes)
    const limits = takeOtherObject(fields, ['constraints'], notes)
    const timeout = limits === null ? null : takeOtherNumber(limits.fields, ['timeout_seconds'], notes)
    const most = limits === null ? null : takeOtherNumber(limits.fields, ['max_turns'], notes)
    if (limits !== null) nameUnread(limits.fields, { what: '"constraints"', known: [], losses: {} }, notes)
    const context = takeOtherObject(fields, ['context'], notes)
    const git = context !== null && readContext(context.fields, { root, one, notes })
    const { input, said } = readTurns(fields, most ?? shared.turns, notes)
    const expect = [shared.expect, fields.take(['expect'])?.value].flatMap((value) =>
      readExpect(value ?? null, `${one.at}.expect`, notes),
    )
    const judge = splitCriteria(await readJudges(fields, shared.judges, { root, notes }))
    one.object = dropEmpty({
      eval_key: id,
      name: takeOtherText(fields, ['title'], notes) ?? id,
      ...input,
      timeout: timeout ?? shared.timeout,
      git: git || null,
      checks: judge.checks,
      assertions: [...said, ...expect, ...judge.assertions],
    })
    if (fields.take(['mcp']) !== null)
      notes.refuse('"mcp" cannot be read: write the servers into "environment" of an evals.json')
    nameUnread(fields, { what: 'a case', known, losses: { collect_artifacts: ofCase.collect_artifacts } }, notes)
  }
}

/** Returns whether the working folder is a git repository. */
function readContext(
  fields: FieldReader,
  { root, one, notes }: { root: string; one: OtherCase; notes: FieldNotes },
): boolean {
  const fixture = fields.take(['repo_fixture'])
  for (const name of fixture === null
    ? []
    : takeOtherTexts(openFieldReader({ a: fixture.value }, fixture.at), ['a'], notes)) {
    const found = isInsideFolder(root, path.join(root, name))
      ? folderContents(root, name.replace(/\/+$/, ''), one.at)
      : []
    if (found.length === 0) notes.refuse(`repo_fixture ${name}: no such folder with files in the skill's folder`)
    one.inputs.push(...found)
  }
  const files = takeOtherObject(fields, ['files'], notes)
  for (const [name, content] of Object.entries(files?.object ?? {})) {
    if (typeof content === 'string') one.texts[name] = content
    else notes.refuse(`${fields.at}.files: ${name} has no text`)
  }
  const git = takeOtherObject(fields, ['git'], notes)
  const init = git?.fields.take(['init'], (value) => typeof value === 'boolean')?.value === true
  for (const { key, at } of git?.fields.rest() ?? [])
    notes.refuse(`${at} ("${key}" of git) cannot be read: write "git" or "setup" of an evals.json`)
  nameUnread(fields, { what: '"context"', known: ['repo_fixture', 'files', 'git'], losses: {} }, notes)
  return init
}

/** Reads the messages of a skill-up case: a prompt, or turns, some of which a model may write. */
interface Messages {
  /** prompt, turns and user, as in evals.json. */
  input: Record<string, unknown>
  /** Criteria of the answers to messages. */
  said: unknown[]
}

/** `most`: messages of the case, at most; null: not limited. */
function readTurns(fields: FieldReader, most: number | null, notes: FieldNotes): Messages {
  const simulator = takeOtherObject(fields, ['user_simulator'], notes)
  const goal = simulator === null ? null : takeOtherText(simulator.fields, ['scenario'], notes)
  if (simulator !== null) nameUnread(simulator.fields, { what: 'the user', known: ['scenario'], losses: {} }, notes)
  const input = takeOtherObject(fields, ['input'], notes)
  if (input === null) return { input: {}, said: [] }
  const prompt = takeOtherText(input.fields, ['prompt'], notes)
  const turns = takeOtherList(input.fields, ['turns']).map(({ value, at }, index) =>
    readTurn(openFieldReader(isJsonObject(value) ? value : { content: value }, at), index + 1, notes),
  )
  nameUnread(input.fields, { what: '"input"', known: ['prompt', 'turns'], losses: {} }, notes)
  const said = turns.flatMap((one) => one.criteria)
  const [first, ...later] =
    prompt === null ? turns.map(({ content }) => content) : [prompt, ...turns.map(({ content }) => content)]
  const asked = turns.flatMap(({ respond }) => respond ?? [])
  if (asked.length === 0 && goal === null) return { input: { prompt: first ?? null, turns: later }, said }
  if (goal === null) notes.refuse('a turn is written by a model, and no "user_simulator" says what the user wants')
  if (later.some((content) => content !== null))
    notes.refuse('it has turns that a model writes and fixed ones after the first: here it is one or the other')
  const user = dropEmpty({ goal, facts: asked, max_turns: later.length || (most === null ? null : most - 1) || null })
  return { input: { prompt: first ?? null, ...(goal !== null && { user }) }, said }
}

interface ReadTurn {
  content: string | null
  /** What a model should answer; null: the content is fixed. */
  respond: string | null
  criteria: unknown[]
}

function readTurn(fields: FieldReader, turn: number, notes: FieldNotes): ReadTurn {
  fields.take(['role'], (value) => value === 'user')
  const content = takeOtherText(fields, ['content'], notes)
  const respond = takeOtherText(fields, ['respond'], notes)
  if (content === null && respond === null) notes.refuse(`${fields.at} has no "content"`)
  if (content !== null && /\{\{.*\}\}/.test(content)) notes.refuse(`${fields.at} has a variable, which no answer fills`)
  const gate = takeOtherObject(fields, ['post_condition'], notes)
  const criteria = gate === null ? [] : readGate(gate.fields, turn, notes)
  const losses = { capture: 'no answer fills a variable' }
  nameUnread(fields, { what: 'a turn', known: ['role', 'content', 'respond', 'post_condition'], losses }, notes)
  return { content, respond, criteria }
}

function readGate(fields: FieldReader, turn: number, notes: FieldNotes): unknown[] {
  const found = [
    ...answerHas.texts(takeOtherTexts(fields, ['must_contain_all', 'must_contain'], notes), { turn }),
    ...answerHas.anyText(takeOtherTexts(fields, ['must_contain_any'], notes), { turn }),
    ...answerLacks.texts(takeOtherTexts(fields, ['must_not_contain'], notes), { turn }),
  ]
  const losses = { on_fail: 'the conversation continues, and the check fails' }
  nameUnread(fields, { what: 'a condition', known: [], losses }, notes)
  return found
}
