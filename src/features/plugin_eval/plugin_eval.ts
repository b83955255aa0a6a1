/** Loads the suite of a plugin in the format of `claude plugin eval`: a folder evals/ with a folder for each case. */
import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { globSync } from 'tinyglobby'
import type { SuiteCase } from '../../../schemas/suite.ts'
import { UserError } from '../../base/errors/error.ts'
import { listEntries, pathExists } from '../../base/fs/files.ts'
import { findFolderSkillName } from '../../phases/1-plan/formats/evals_json.ts'
import { bothArmsNote, type InspectedSuite, type SuiteFormat } from '../../phases/1-plan/suite/inspected_suite.ts'
import { collectWarnings } from '../../phases/1-plan/suite/loader_warnings.ts'
import { readPluginCase } from './case.ts'

const pluginEvalPlaces = ['evals/<case>/prompt.md', 'evals/<case>/case.yaml']

/** The evals folder of a skill or plugin, that of the plugin whose only skill this is, or the folder itself if its subfolders are cases; null: none. */
async function findPluginEval(folder: string): Promise<string | null> {
  const inner = findEvalsFolder(folder)
  if (inner !== null) return inner
  if (!(await pathExists(path.join(folder, 'SKILL.md'))))
    return listPluginCaseFolders(folder).length > 0 ? folder : null
  const plugin = findPluginOfSkill(folder)
  const options = { cwd: plugin ?? folder, ignore: ['**/node_modules/**', 'evals/**'] }
  return plugin !== null && globSync('**/SKILL.md', options).length === 1 ? findEvalsFolder(plugin) : null
}

/** The suite of a plugin, also of the one that a skill is in; null: it has none with a case. */
function findPluginEvals(folder: string): string | null {
  const isSkill = existsSync(path.join(folder, 'SKILL.md'))
  const plugin = isSkill ? findPluginOfSkill(folder) : folder
  return plugin === null ? null : findEvalsFolder(plugin)
}

function findEvalsFolder(folder: string): string | null {
  const inner = path.join(folder, 'evals')
  return listPluginCaseFolders(inner).length > 0 ? inner : null
}

/** The nearest folder above with a plugin's manifest, or with the skill in its skills/; at most four above, in the same repository. */
function findPluginOfSkill(skill: string): string | null {
  let at = skill
  for (let up = 0; up < 4 && !existsSync(path.join(at, '.git')); up += 1) {
    const isOwner = path.basename(at) === 'skills'
    at = path.dirname(at)
    if (isOwner || existsSync(path.join(at, '.claude-plugin', 'plugin.json'))) return at
  }
  return null
}

/** Every outermost folder evals/ that contains a case folder. */
function discoverPluginEval({ files }: { files: readonly string[] }): string[] {
  const folders = files.flatMap((file) => {
    const [, folder, inner] = /^((?:.*\/)?evals)\/(.+)\/(?:prompt\.md|case\.yaml)$/.exec(file) ?? []
    const isPart = /(^|\/)(results|mocks|graders)(\/|$)/.test(inner ?? 'results')
    return folder === undefined || isPart ? [] : [folder]
  })
  return [...new Set(folders)]
}

async function inspectPluginEval(place: string, skillRoot: string): Promise<InspectedSuite> {
  const isFolder = (await stat(place).catch(() => null))?.isDirectory() === true
  const root = isFolder ? place : path.dirname(place)
  const keys = isFolder ? listPluginCaseFolders(place) : ['.']
  if (keys.length === 0) throw new UserError(`${place}: no case found`, `write ${pluginEvalPlaces.join(' or ')}`)
  const { warn, list } = collectWarnings(place)
  const cases: SuiteCase[] = []
  for (const [index, key] of keys.entries()) {
    const folder = path.join(root, key)
    const name = key === '.' ? path.basename(root) : key
    cases.push({ eval_id: index + 1, ...(await readPluginCase(folder, name, warn)) })
  }
  const suite = {
    format: 'plugin-eval',
    path: place,
    skill_name: await findFolderSkillName(skillRoot, () => {}),
    cases,
    warnings: list(),
  }
  return { suite, places: keys.map((key) => ({ file: path.join(root, key), at: null })), mistakes: [] }
}

/** Relative paths of case folders, sorted, without results and mocks of earlier runs. */
function listPluginCaseFolders(folder: string): string[] {
  const found: string[] = []
  const enter = (key: string): void => {
    for (const entry of listEntries(path.join(folder, key))) {
      const inner = key === '' ? entry.name : `${key}/${entry.name}`
      if (entry.isDirectory()) {
        if (!isPart(entry.name, key)) enter(inner)
      } else if (key !== '' && entry.isFile() && caseFiles.has(entry.name)) found.push(key)
    }
  }
  enter('')
  return [...new Set(found)].sort()
}

const caseFiles: ReadonlySet<string> = new Set(['prompt.md', 'case.yaml', 'case.yml'])

/** Dot-folders, parts of cases, and at the top the results of earlier runs. */
function isPart(name: string, key: string): boolean {
  if (name.startsWith('.') || name === 'node_modules' || name === 'graders') return true
  return key === '' && (name === 'results' || name === 'mocks')
}

export const pluginEvalFormat: SuiteFormat = {
  places: pluginEvalPlaces,
  find: findPluginEval,
  findForSkills: findPluginEvals,
  note: bothArmsNote,
  discover: discoverPluginEval,
  reads: (file) => /[/\\](prompt\.md|case\.yaml)$/.test(file),
  inspect: inspectPluginEval,
}
