/** The suite of a plugin, as `claude plugin eval` has it: a folder evals/ with a folder for each case. */
import { stat } from 'node:fs/promises'
import path from 'node:path'
import type { Suite, SuiteCase } from '../../../../schemas/suite.ts'
import { UserError } from '../../../base/error.ts'
import { entriesIn, exists } from '../../../base/files.ts'
import type { InspectedSuite } from '../inspected.ts'
import { collectWarnings } from '../warnings.ts'
import { nameOfSkill } from './evals_json.ts'
import { readPluginCase } from './plugin_eval/case.ts'

export const pluginEvalPlaces = ['evals/<case>/prompt.md', 'evals/<case>/case.yaml']

/** The evals folder of a skill or plugin, or the folder itself where its own folders are cases; null: neither. */
export async function findPluginEval(folder: string): Promise<string | null> {
  const inner = evalsOfPlugin(folder)
  if (inner !== null) return inner
  const isSkill = await exists(path.join(folder, 'SKILL.md'))
  return isSkill || casesIn(folder).length === 0 ? null : folder
}

/** The evals folder of a plugin; null: it has none with a case in it. Nothing else of it is looked through. */
export function evalsOfPlugin(plugin: string): string | null {
  const inner = path.join(plugin, 'evals')
  return casesIn(inner).length > 0 ? inner : null
}

/** Every outermost folder evals/ with a folder of a case in it. */
export function discoverPluginEval({ files }: { files: readonly string[] }): string[] {
  const folders = files.flatMap((file) => {
    const [, folder, inner] = /^((?:.*\/)?evals)\/(.+)\/(?:prompt\.md|case\.yaml)$/.exec(file) ?? []
    const isPart = /(^|\/)(results|mocks|graders)(\/|$)/.test(inner ?? 'results')
    return folder === undefined || isPart ? [] : [folder]
  })
  return [...new Set(folders)]
}

/** The file of one case, or a folder of them. Throws UserError for a place without cases. */
export async function loadPluginEval(place: string, skillRoot: string): Promise<Suite> {
  return (await inspectPluginEval(place, skillRoot)).suite
}

export async function inspectPluginEval(place: string, skillRoot: string): Promise<InspectedSuite> {
  const isFolder = (await stat(place).catch(() => null))?.isDirectory() === true
  const root = isFolder ? place : path.dirname(place)
  const keys = isFolder ? casesIn(place) : ['.']
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
    skill_name: await nameOfSkill(skillRoot, () => {}),
    cases,
    warnings: list(),
  }
  return { suite, places: keys.map((key) => ({ file: path.join(root, key), at: null })), mistakes: [] }
}

/** Folders of cases, relative, sorted; results and mocks of earlier runs are none. */
function casesIn(folder: string): string[] {
  const found: string[] = []
  const enter = (key: string): void => {
    for (const entry of entriesIn(path.join(folder, key))) {
      const inner = key === '' ? entry.name : `${key}/${entry.name}`
      if (entry.isDirectory()) {
        if (!isPart(entry.name, key)) enter(inner)
      } else if (key !== '' && entry.isFile() && caseFiles.has(entry.name)) found.push(key)
    }
  }
  enter('')
  return [...new Set(found)].sort()
}

const caseFiles: ReadonlySet<string> = new Set(['prompt.md', 'case.yaml'])

/** Dot-folders, what cases consist of, and at the top what earlier runs left. */
function isPart(name: string, key: string): boolean {
  if (name.startsWith('.') || name === 'node_modules' || name === 'graders') return true
  return key === '' && (name === 'results' || name === 'mocks')
}
