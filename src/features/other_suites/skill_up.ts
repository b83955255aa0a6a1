/** Reads skill-up's eval.yaml and the case files that it lists, or one case file. https://github.com/alibaba/skill-up */
import path from 'node:path'
import { isInsideFolder } from '../../base/fs/inside_folder.ts'
import { isJsonObject } from '../../phases/1-plan/formats/evals_json/fields.ts'
import { readYamlCase } from './named_text.ts'
import { answerHas, answerLacks, folderContents } from './other_criteria.ts'
import { dropEmpty, type OtherCase, type OtherSystem, readEachCase, splitCriteria } from './other_suite.ts'
import { type NamedItem, type OtherFields, settingLosses } from './read_fields.ts'
import { readExpect, readJudges } from './skill_up_criteria.ts'

export const skillUp: OtherSystem = {
  title: 'skill-up',
  signs: [
    {
      words: 'an object "cases" with "files", or one case with "input.prompt" or "input.turns"',
      holds: (document) => isJsonObject(document) && (listsFiles(document.cases) || isCase(document)),
    },
  ],
  async read(fields, { root, warn }, document) {
    if (isCase(fields.object)) {
      const shared = { timeout: null, turns: null, expect: null, judges: [] }
      const cases = await readEachCase([{ value: document, at: '$' }], warn, readOne(root, shared))
      return { skillName: null, base: root, cases }
    }
    const inner = fields.inner('cases')
    const defaults = inner.inner('defaults')
    const shared = {
      timeout: defaults.number('timeout_seconds'),
      turns: defaults.number('max_turns'),
      expect: defaults.value('expect') ?? null,
      judges: [...fields.list('judge'), ...fields.list('judges')].filter(hasCriteria),
    }
    defaults.rest('"defaults"', ['expect'], ofCase)
    const items = await openCaseFiles(inner.list('files'), root)
    inner.rest('"cases"', ['files', 'defaults'], ofCases)
    fields.rest('the file', ['cases', 'judge'], ofFile)
    return { skillName: null, base: root, cases: await readEachCase(items, warn, readOne(root, shared)) }
  },
}

function listsFiles(cases: unknown): boolean {
  return isJsonObject(cases) && Array.isArray(cases.files)
}

function isCase({ input }: Record<string, unknown>): boolean {
  return isJsonObject(input) && ('prompt' in input || 'turns' in input)
}

/** A judge of the suite that only says which model judges decides nothing of a case. */
function hasCriteria({ value }: NamedItem): boolean {
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

/** Paths are relative to the skill's folder. A file that cannot be read is a case that cannot run. */
async function openCaseFiles(items: readonly NamedItem[], root: string): Promise<NamedItem[]> {
  return await Promise.all(
    items.map(async (item) => (typeof item.value === 'string' ? await readYamlCase(item.value, root) : item)),
  )
}

interface Shared {
  timeout: number | null
  turns: number | null
  expect: unknown
  /** For cases without one. */
  judges: readonly NamedItem[]
}

const known = ['id', 'input', 'context', 'constraints', 'expect', 'judge', 'user_simulator', 'mcp']

function readOne(root: string, shared: Shared) {
  return async (fields: OtherFields, one: OtherCase): Promise<void> => {
    const { notes } = fields
    const id = fields.text('id')
    const limits = fields.inner('constraints')
    const timeout = limits.number('timeout_seconds')
    const most = limits.number('max_turns')
    limits.rest('"constraints"', [])
    const git = readContext(fields.inner('context'), root, one)
    const { input, said } = readTurns(fields, most ?? shared.turns)
    const expect = [shared.expect, fields.value('expect') ?? null].flatMap((value) =>
      value === null ? [] : readExpect(value, `${one.at}.expect`, notes),
    )
    const judge = splitCriteria(await readJudges(fields, shared.judges, root))
    one.object = dropEmpty({
      eval_key: id,
      name: fields.text('title') ?? id,
      ...input,
      timeout: timeout ?? shared.timeout,
      git: git || null,
      checks: judge.checks,
      assertions: [...said, ...expect, ...judge.assertions],
    })
    if (fields.value('mcp') !== undefined)
      notes.refuse('"mcp" cannot be read: write the servers into "environment" of an evals.json')
    fields.rest('a case', known, { collect_artifacts: ofCase.collect_artifacts })
  }
}

/** Returns whether the working folder is a git repository. */
function readContext(fields: OtherFields, root: string, one: OtherCase): boolean {
  const { notes } = fields
  for (const name of fields.texts('repo_fixture')) {
    const isInside = isInsideFolder(root, path.join(root, name))
    const found = isInside ? folderContents(root, name.replace(/\/+$/, ''), one.at) : []
    if (found.length === 0) notes.refuse(`repo_fixture ${name}: no such folder with files in the skill's folder`)
    one.inputs.push(...found)
  }
  for (const [name, content] of Object.entries(fields.inner('files').object)) {
    if (typeof content === 'string') one.texts[name] = content
    else notes.refuse(`${fields.at}.files: ${name} has no text`)
  }
  const git = fields.inner('git')
  const init = git.flag('init')
  for (const { key, at } of git.unread())
    notes.refuse(`${at} ("${key}" of git) cannot be read: write "git" or "setup" of an evals.json`)
  fields.rest('"context"', ['repo_fixture', 'files', 'git'])
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
function readTurns(fields: OtherFields, most: number | null): Messages {
  const { notes } = fields
  const simulator = fields.inner('user_simulator')
  const goal = simulator.text('scenario')
  simulator.rest('the user', ['scenario'])
  const input = fields.inner('input')
  if (!input.isObject) return { input: {}, said: [] }
  const prompt = input.text('prompt')
  const turns = input.items('turns', 'content').map((turn, index) => readTurn(turn, index + 1))
  input.rest('"input"', ['prompt', 'turns'])
  const said = turns.flatMap((one) => one.criteria)
  const contents = turns.map(({ content }) => content)
  const [first, ...later] = prompt === null ? contents : [prompt, ...contents]
  const asked = turns.flatMap(({ respond }) => respond ?? [])
  if (goal === null && most !== null)
    notes.warn(`${fields.at}.constraints.max_turns`, `"max_turns" of a case is not read: ${ofCase.max_turns}`)
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

function readTurn(fields: OtherFields, turn: number): ReadTurn {
  const { at, notes } = fields
  fields.take('role', (value) => value === 'user')
  const content = fields.text('content')
  const respond = fields.text('respond')
  if (content === null && respond === null) notes.refuse(`${at} has no "content"`)
  if (content !== null && /\{\{.*\}\}/.test(content)) notes.refuse(`${at} has a variable, which no answer fills`)
  const gate = fields.inner('post_condition')
  const criteria = [
    ...answerHas.texts(gate.texts('must_contain_all', 'must_contain'), { turn }),
    ...answerHas.anyText(gate.texts('must_contain_any'), { turn }),
    ...answerLacks.texts(gate.texts('must_not_contain'), { turn }),
  ]
  gate.rest('a condition', [], { on_fail: 'the conversation continues, and the check fails' })
  const losses = { capture: 'no answer fills a variable' }
  fields.rest('a turn', ['role', 'content', 'respond', 'post_condition'], losses)
  return { content, respond, criteria }
}
