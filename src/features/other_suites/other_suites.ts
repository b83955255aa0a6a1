/** Loads suites of other tools, each recognised by what the file says: docs/reference/suites-of-others.md lists what is read. */
import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { UserError } from '../../base/errors/error.ts'
import { listEntries, pathExists } from '../../base/fs/files.ts'
import { readText, tryParseJson } from '../../base/json/json.ts'
import { readYaml } from '../../base/text/yaml.ts'
import { isJsonObject } from '../../phases/1-plan/formats/evals_json/fields.ts'
import { findFolderSkillName } from '../../phases/1-plan/formats/evals_json.ts'
import { bothArmsNote, type InspectedSuite, type SuiteFormat } from '../../phases/1-plan/suite/inspected_suite.ts'
import { collectWarnings } from '../../phases/1-plan/suite/loader_warnings.ts'
import { caliper } from './caliper.ts'
import { caseList } from './case_list.ts'
import { readNamedFile } from './named_text.ts'
import {
  collectLists,
  dropEmpty,
  hasField,
  hasItems,
  keepNotes,
  type OtherSystem,
  readEachCase,
  toSuiteCases,
} from './other_suite.ts'
import { promptfoo } from './promptfoo.ts'
import { OtherFields } from './read_fields.ts'
import { scenarios } from './scenarios.ts'
import { skillUp } from './skill_up.ts'
import { skillgrade } from './skillgrade.ts'
import { vally } from './vally.ts'
import { waza } from './waza.ts'

/** Named, because its judges have prompts too: they are no cases. */
const agentEvalHarness: OtherSystem = {
  title: 'agent-eval-harness',
  signs: [
    {
      words: 'a list "judges", and no list of cases',
      holds: (document) =>
        collectLists(document, ['judges']).length > 0 &&
        !hasField(document, ['evals', 'cases', 'tests', 'stimuli', 'scenarios', 'tasks']),
    },
    {
      words: '"dataset", "execution" or "runner"',
      holds: (document) => hasField(document, ['dataset', 'execution', 'runner']),
    },
  ],
  read: (_, { file }) => {
    const message = `${file}: a suite of agent-eval-harness (opendatahub-io), which is not read`
    throw new UserError(message, 'write its cases as an evals.json (docs/reference/evals-json.md)')
  },
}

/** Tessl's scenarios: a folder for each; the document is made of them. https://docs.tessl.io */
const tessl: OtherSystem = {
  title: 'Tessl',
  signs: [
    { words: 'folders with task.md and criteria.json', holds: (document) => hasItems(document, ['folders'], ['task']) },
  ],
  async read(fields, { base, warn }) {
    const folders = fields
      .list('folders')
      .map(({ value }) => ({ value, at: `${Object(value).folder}/criteria.json $` }))
    const cases = await readEachCase(folders, warn, (of, one) => {
      const name = of.text('folder')
      const checklist = of.items('checklist').flatMap((item) => {
        const [label, description] = [item.text('name'), item.text('description')]
        const text = description ?? label
        if (description !== null && label !== null) item.notes.keep(`${item.at}.name`, label)
        const found = text === null ? [] : [dropEmpty({ text, weight: item.number('max_score') })]
        item.rest('an item of the checklist', ['name', 'description', 'max_score'])
        return item.requireCriteria(found, 'an item of the checklist')
      })
      one.object = dropEmpty({ eval_key: name, name, prompt: of.text('task')?.trim() ?? null, assertions: checklist })
      if (of.flag('fixture'))
        of.notes.refuse(`${name}/scenario.json has a "fixture": write its files into an evals.json`)
      for (const { value, at } of of.list('broken')) of.notes.refuse(`${at}: ${String(value)}`)
      for (const other of of.texts('others')) warn(one.at, `${other} is not read`)
      of.rest('criteria.json', ['checklist'], { context: 'a judge reads the prompt and the outcome' })
    })
    return { skillName: null, base, cases }
  },
}

function listScenarios(folder: string): string[] {
  const has = (name: string, file: string) => existsSync(path.join(folder, name, file))
  const found = listEntries(folder).flatMap(({ name }) =>
    has(name, 'task.md') || has(name, 'criteria.json') ? [name] : [],
  )
  return found.some((name) => has(name, 'task.md') && has(name, 'criteria.json')) ? found.sort() : []
}

async function readScenarios(folder: string) {
  const folders = listScenarios(folder).map(async (name) => {
    const place = path.join(folder, name)
    const [task, criteria, scenario] = await Promise.all(
      ['task.md', 'criteria.json', 'scenario.json'].map((file) => readNamedFile(file, place)),
    )
    const value = tryParseJson(criteria ?? '')
    const more = tryParseJson(scenario ?? '')
    return {
      ...(isJsonObject(value)
        ? value
        : { broken: `${name}/criteria.json is ${criteria === null ? 'missing' : 'not a JSON object'}` }),
      ...{ folder: name, task, fixture: isJsonObject(more) && (more.fixture ?? null) !== null },
      others: listEntries(place).flatMap((one) =>
        /^(?:task\.md|(?:criteria|scenario)\.json)$/.test(one.name) ? [] : [one.name],
      ),
    }
  })
  return { folders: await Promise.all(folders) }
}

/** The evals folder of a skill or tile with scenarios, or the folder itself; null: neither has any. */
function findScenarios(folder: string): string | null {
  return [path.join(folder, 'evals'), folder].find((one) => listScenarios(one).length > 0) ?? null
}

/** The scenarios of a tile, also of the one that a skill is in, at most three folders above. */
function findTileScenarios(folder: string): string | null {
  const above = existsSync(path.join(folder, 'SKILL.md')) ? ['..', '../..', '../../..'] : ['.']
  return above.map((up) => findScenarios(path.resolve(folder, up))).find((one) => one !== null) ?? null
}

const otherPlaces = ['eval.yaml', 'evals.yaml', 'promptfooconfig.yaml', '*.eval.yaml', 'evals/<scenario>/task.md']

const names = ['eval', 'evals', 'EVAL', 'promptfooconfig', 'suite']
const fileName =
  /(?:^|[/\\])(?:evals?|EVAL|suite|promptfooconfig|[^/\\]+\.(?:eval|EVAL)|promptfooconfig\.[^/\\]+)\.ya?ml$/

/** The suite in a skill's folder, in its evals/, or in the repository's folder of suites, if its content is of a known system; null: none. */
async function findOtherSuite(folder: string): Promise<string | null> {
  const [found] = await listOwnSuites(folder)
  return found ?? findScenarios(folder) ?? (await listSuitesIn(await listRepositoryPlaces(folder)))[0] ?? null
}

async function listOwnSuites(folder: string): Promise<string[]> {
  return await listSuitesIn(['evals', ''].map((place) => path.join(folder, place)))
}

/** A suite that is in the skill where agents would see it: waza and dotnet/skills know this place; null: none. */
async function findVisibleSuite(folder: string): Promise<string | null> {
  return (await listSuitesIn([path.join(folder, 'tests')]))[0] ?? null
}

/** The plain names come first, as `names` lists them. */
async function listSuitesIn(folders: readonly string[]): Promise<string[]> {
  const found: string[] = []
  for (const folder of folders) {
    const plain = names.flatMap((one) => [`${one}.yaml`, `${one}.yml`])
    const more = listEntries(folder).flatMap(({ name }) => (/.\.(?:eval|EVAL)\.ya?ml$/.test(name) ? [name] : []))
    for (const file of [...plain, ...more.sort()].map((name) => path.join(folder, name)))
      if (await isOtherSuite(file)) found.push(file)
  }
  return found
}

/**
 * Folders outside of a skill that are named like it: `evals/<skill>/` of waza, `tests/<plugin>/<skill>/` of dotnet/skills. They are in a folder
 * at most four above the skill (`plugins/<plugin>/skills/<skill>`) and not above its repository.
 */
async function listRepositoryPlaces(skill: string): Promise<string[]> {
  if (!(await pathExists(path.join(skill, 'SKILL.md')))) return []
  const name = path.basename(skill)
  const plugin = path.basename(path.resolve(skill, '..', '..'))
  const places: string[] = []
  let at = skill
  for (let up = 0; up < 4 && !(await pathExists(path.join(at, '.git'))); up += 1) {
    at = path.dirname(at)
    places.push(
      ...[
        ['evals', name],
        ['tests', name],
        ['tests', plugin, name],
      ].map((inner) => path.join(at, ...inner)),
    )
  }
  return places
}

function isOtherFile(file: string): boolean {
  return /\.ya?ml$/.test(file) || /[/\\]promptfooconfig\.json$/.test(file)
}

async function discoverOtherSuites({ root, files }: { root: string; files: readonly string[] }) {
  const found: string[] = []
  for (const file of files.filter((one) => fileName.test(one)))
    if (await isOtherSuite(path.join(root, file))) found.push(file)
  const scenarios = files.filter((one) => /\/criteria\.json$/.test(one)).map((one) => path.dirname(path.dirname(one)))
  return [...found, ...new Set(scenarios.filter((one) => listScenarios(path.join(root, one)).length > 0))]
}

/** Whether a file is a suite of a known system. One of a suite's name that is not YAML counts, so that it is reported. */
async function isOtherSuite(file: string): Promise<boolean> {
  const info = await stat(file).catch(() => null)
  if (!info?.isFile() || info.size > 1024 * 1024) return false
  const yaml = readYaml((await readText(file)).replace(/^\uFEFF/, ''))
  return yaml.ok ? findSystem(yaml.value) !== null : fileName.test(file)
}

async function readDocument(file: string): Promise<unknown> {
  const yaml = readYaml((await readText(file)).replace(/^\uFEFF/, ''))
  if (yaml.ok) return yaml.value
  throw new UserError(`${file}:${yaml.at.line}:${yaml.at.column}: ${yaml.message}`, 'fix the YAML')
}

/** `file`: or a folder with scenarios. */
async function inspectOtherSuite(file: string, skillRoot: string): Promise<InspectedSuite> {
  const { warn, list } = collectWarnings(file)
  const isFile = isOtherFile(file)
  const document = await (isFile ? readDocument(file) : readScenarios(file))
  const system = requireSystem(document, file)
  warn('$', `read as a suite of ${system.title}`)
  const skill = await findFolderSkillName(skillRoot, () => undefined)
  const place = { file, base: isFile ? path.dirname(file) : file, root: skillRoot, skill, warn }
  const reasons: string[] = []
  const { kept, keep } = keepNotes('$')
  const notes = { warn, keep, refuse: (reason: string) => reasons.push(reason) }
  const read = await system.read(new OtherFields(document, '$', notes), place, document)
  if (read.cases.length === 0) {
    const message = [`${file}: a suite of ${system.title} without a case`, ...reasons].join('; ')
    throw new UserError(message, 'write one')
  }
  const noted = Object.keys(kept).length > 0 && { noted: kept }
  const all = read.cases.map((one) => ({ ...one, ...noted, reasons: [...reasons, ...one.reasons] }))
  const { cases, places } = await toSuiteCases({ ...read, cases: all }, place)
  const skill_name = read.skillName ?? (await findFolderSkillName(skillRoot, warn))
  return {
    suite: { format: 'others', path: file, skill_name, cases, warnings: list() },
    places,
    mistakes: [],
  }
}

const systems: readonly OtherSystem[] = [
  agentEvalHarness,
  tessl,
  skillUp,
  vally,
  scenarios,
  skillgrade,
  caliper,
  waza,
  promptfoo,
  caseList,
]

function findSystem(document: unknown): OtherSystem | null {
  return systems.find(({ signs }) => signs.every(({ holds }) => holds(document))) ?? null
}

/** Throws UserError with what was looked for, and the system that comes nearest. */
function requireSystem(document: unknown, file: string): OtherSystem {
  const found = findSystem(document)
  if (found !== null) return found
  const looked = systems.map(({ title, signs }) => `${title} (${signs.map(({ words }) => words).join(', ')})`)
  const near = systems
    .map((system) => ({ system, held: system.signs.filter(({ holds }) => holds(document)) }))
    .sort((a, b) => b.held.length / b.system.signs.length - a.held.length / a.system.signs.length)
    .find(({ held }) => held.length > 0)
  const lacking = near?.system.signs.find(({ holds }) => !holds(document))
  const hint =
    near === undefined || lacking === undefined
      ? 'docs/reference/suites-of-others.md shows each'
      : `nearest is ${near.system.title}, which also has ${lacking.words}`
  throw new UserError(`${file}: a suite of no system that is known. Looked for: ${looked.join('; ')}`, hint)
}

export const othersFormat: SuiteFormat = {
  places: otherPlaces,
  find: findOtherSuite,
  findAll: listOwnSuites,
  findForSkills: findTileScenarios,
  findVisible: findVisibleSuite,
  isAnywhere: true,
  note: bothArmsNote,
  discover: discoverOtherSuites,
  reads: isOtherFile,
  isMeant: isOtherSuite,
  inspect: inspectOtherSuite,
}
