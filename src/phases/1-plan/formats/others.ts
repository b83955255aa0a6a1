/** Loads suites of other tools, each recognised by what the file says: docs/reference/suites-of-others.md lists what is read. */
import { stat } from 'node:fs/promises'
import path from 'node:path'
import type { Suite } from '../../../../schemas/suite.ts'
import { UserError } from '../../../base/errors/error.ts'
import { pathExists } from '../../../base/fs/files.ts'
import { readText } from '../../../base/json/json.ts'
import { readYaml } from '../../../base/text/yaml.ts'
import type { InspectedSuite } from '../suite/inspected_suite.ts'
import { collectWarnings } from '../suite/loader_warnings.ts'
import { findFolderSkillName } from './evals_json.ts'
import { findSystem, requireSystem } from './others/systems.ts'
import { toSuiteCases } from './others/to_cases.ts'

export const otherPlaces = ['eval.yaml', 'evals.yaml', 'promptfooconfig.yaml', '*.eval.yaml']

const names = ['eval', 'evals', 'EVAL', 'promptfooconfig', 'suite']
const fileName =
  /(?:^|[/\\])(?:evals?|EVAL|suite|promptfooconfig|[^/\\]+\.(?:eval|EVAL)|promptfooconfig\.[^/\\]+)\.ya?ml$/

/** The suite in a skill's folder, in its evals/, or in the repository's folder of suites, if its content is of a known system; null: none. */
export async function findOtherSuite(folder: string): Promise<string | null> {
  const own = ['evals', ''].map((place) => path.join(folder, place))
  return (await findSuiteIn(own)) ?? (await findSuiteIn(await listRepositoryPlaces(folder)))
}

/** A suite that is in the skill where agents would see it: waza and dotnet/skills know this place; null: none. */
export async function findVisibleSuite(folder: string): Promise<string | null> {
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

export function isOtherFile(file: string): boolean {
  return /\.ya?ml$/.test(file) || /[/\\]promptfooconfig\.json$/.test(file)
}

export async function discoverOtherSuites({ root, files }: { root: string; files: readonly string[] }) {
  const found: string[] = []
  for (const file of files.filter((one) => fileName.test(one)))
    if (await isOtherSuite(path.join(root, file))) found.push(file)
  return found
}

/** Whether a file is a suite of a known system. A file that is not YAML is none. */
export async function isOtherSuite(file: string): Promise<boolean> {
  const info = await stat(file).catch(() => null)
  if (!info?.isFile() || info.size > 1024 * 1024) return false
  const yaml = readYaml((await readText(file)).replace(/^\uFEFF/, ''))
  return yaml.ok && findSystem(yaml.value) !== null
}

/** Throws UserError for a file that cannot be read, is of no known system, or has no case. */
export async function loadOtherSuite(file: string, skillRoot: string): Promise<Suite> {
  return (await inspectOtherSuite(file, skillRoot)).suite
}

export async function inspectOtherSuite(file: string, skillRoot: string): Promise<InspectedSuite> {
  const { warn, list } = collectWarnings(file)
  const yaml = readYaml((await readText(file)).replace(/^\uFEFF/, ''))
  if (!yaml.ok) throw new UserError(`${file}:${yaml.at.line}:${yaml.at.column}: ${yaml.message}`, 'fix the YAML')
  const system = requireSystem(yaml.value, file)
  warn('$', `read as a suite of ${system.title}`)
  const place = { file, root: skillRoot, warn }
  const read = await system.read(yaml.value, place)
  if (read.cases.length === 0) {
    const why = list().flatMap(({ message }) => (/^the (?:tests|tasks) of/.test(message) ? message : []))
    const message = [`${file}: a suite of ${system.title} without a case`, ...why].join('; ')
    throw new UserError(message, 'write one')
  }
  const { cases, places } = await toSuiteCases(read, place)
  const skill_name = read.skillName ?? (await findFolderSkillName(skillRoot, warn))
  return { suite: { format: 'others', path: file, skill_name, cases, warnings: list() }, places, mistakes: [] }
}
