/** Loads suites of other tools, each recognised by what the file says: docs/reference/suites-of-others.md lists what is read. */
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { UserError } from '../../base/errors/error.ts'
import { pathExists } from '../../base/fs/files.ts'
import { readText } from '../../base/json/json.ts'
import { readYaml } from '../../base/text/yaml.ts'
import { isCaseDocument, openDocument } from '../../phases/1-plan/formats/evals_json/document.ts'
import { isJsonObject, promptNames, readNonEmptyText } from '../../phases/1-plan/formats/evals_json/fields.ts'
import { flattenSuites } from '../../phases/1-plan/formats/evals_json/nested_suites.ts'
import { findFolderSkillName } from '../../phases/1-plan/formats/evals_json.ts'
import { bothArmsNote, type InspectedSuite, type SuiteFormat } from '../../phases/1-plan/suite/inspected_suite.ts'
import { collectWarnings } from '../../phases/1-plan/suite/loader_warnings.ts'
import { blankOtherCase, type OtherSystem, toSuiteCases } from './other_suite.ts'
import { promptfoo } from './promptfoo.ts'
import { OtherFields } from './read_fields.ts'
import { scenarios } from './scenarios.ts'
import { skillUp } from './skill_up.ts'
import { skillgrade } from './skillgrade.ts'
import { vally } from './vally.ts'
import { waza } from './waza.ts'

const caseList: OtherSystem = {
  title: 'a list of cases',
  signs: [
    {
      words:
        'a list "evals", "cases" or "tests" of objects with a "prompt", one such object, or "suites" of such lists',
      holds: (document) => isList(flattenSuites(document).document),
    },
  ],
  read(_, { file, root, warn }, document) {
    const opened = openDocument(document, file, warn)
    if (opened.sandbox !== undefined) warn('$.sandbox', '"sandbox" of the file is not read: write an evals.json')
    for (const { at, message } of opened.mistakes) warn(at, `${message}; it is not read`)
    const cases = opened.cases.map(({ object, at }) => ({ ...blankOtherCase(at), object: nameCase(object) }))
    return Promise.resolve({ skillName: opened.skillName, base: root, cases })
  },
}

function isList(document: unknown): boolean {
  return isCaseDocument(document) || isAsking(document) || (Array.isArray(document) && document.some(isAsking))
}

function isAsking(item: unknown): boolean {
  return isJsonObject(item) && promptNames.some((name) => readNonEmptyText(item[name]) !== null)
}

/** An id that is not a number is the key of the case, and its name if it has none. */
function nameCase(object: Record<string, unknown>): Record<string, unknown> {
  const { id } = object
  return typeof id === 'string' && object.eval_key === undefined ? { eval_key: id, ...object } : object
}

const otherPlaces = ['eval.yaml', 'evals.yaml', 'promptfooconfig.yaml', '*.eval.yaml']

const names = ['eval', 'evals', 'EVAL', 'promptfooconfig', 'suite']
const fileName =
  /(?:^|[/\\])(?:evals?|EVAL|suite|promptfooconfig|[^/\\]+\.(?:eval|EVAL)|promptfooconfig\.[^/\\]+)\.ya?ml$/

/** The suite in a skill's folder, in its evals/, or in the repository's folder of suites, if its content is of a known system; null: none. */
async function findOtherSuite(folder: string): Promise<string | null> {
  const own = ['evals', ''].map((place) => path.join(folder, place))
  return (await findSuiteIn(own)) ?? (await findSuiteIn(await listRepositoryPlaces(folder)))
}

/** A suite that is in the skill where agents would see it: waza and dotnet/skills know this place; null: none. */
async function findVisibleSuite(folder: string): Promise<string | null> {
  return await findSuiteIn([path.join(folder, 'tests')])
}

async function findSuiteIn(folders: readonly string[]): Promise<string | null> {
  for (const folder of folders) {
    for (const name of names.flatMap((one) => [`${one}.yaml`, `${one}.yml`])) {
      const file = path.join(folder, name)
      if ((await pathExists(file)) && (await isOtherSuite(file))) return file
    }
  }
  return null
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
  return found
}

/** Whether a file is a suite of a known system. A file that is not YAML is none. */
async function isOtherSuite(file: string): Promise<boolean> {
  const info = await stat(file).catch(() => null)
  if (!info?.isFile() || info.size > 1024 * 1024) return false
  const yaml = readYaml((await readText(file)).replace(/^\uFEFF/, ''))
  return yaml.ok && findSystem(yaml.value) !== null
}

async function inspectOtherSuite(file: string, skillRoot: string): Promise<InspectedSuite> {
  const { warn, list } = collectWarnings(file)
  const yaml = readYaml((await readText(file)).replace(/^\uFEFF/, ''))
  if (!yaml.ok) throw new UserError(`${file}:${yaml.at.line}:${yaml.at.column}: ${yaml.message}`, 'fix the YAML')
  const system = requireSystem(yaml.value, file)
  warn('$', `read as a suite of ${system.title}`)
  const place = { file, base: path.dirname(file), root: skillRoot, warn }
  const notes = { warn, refuse: (reason: string) => warn('$', `${reason}; it is not read`) }
  const read = await system.read(new OtherFields(yaml.value, '$', notes), place, yaml.value)
  if (read.cases.length === 0) {
    const why = list().flatMap(({ message }) => (/^the (?:tests|tasks) of/.test(message) ? message : []))
    const message = [`${file}: a suite of ${system.title} without a case`, ...why].join('; ')
    throw new UserError(message, 'write one')
  }
  const { cases, places } = await toSuiteCases(read, place)
  const skill_name = read.skillName ?? (await findFolderSkillName(skillRoot, warn))
  return { suite: { format: 'others', path: file, skill_name, cases, warnings: list() }, places, mistakes: [] }
}

const systems: readonly OtherSystem[] = [skillUp, vally, scenarios, skillgrade, waza, promptfoo, caseList]

/** The system whose signs the document has; null: none. */
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
  findVisible: findVisibleSuite,
  isAnywhere: true,
  note: bothArmsNote,
  discover: discoverOtherSuites,
  reads: isOtherFile,
  isMeant: isOtherSuite,
  inspect: inspectOtherSuite,
}
