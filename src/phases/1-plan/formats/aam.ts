/** AAM packages: evals/eval-config.json and evals/cases/*.yaml, with the package around the agent. */
import path from 'node:path'
import type { Suite, SuiteCase } from '../../../../schemas/suite.ts'
import { UserError } from '../../../base/error.ts'
import { entriesIn, exists } from '../../../base/files.ts'
import type { InspectedSuite } from '../inspected.ts'
import { collectWarnings } from '../warnings.ts'
import { readAamCase } from './aam/case.ts'
import { readConfig } from './aam/config.ts'
import { readPackage } from './aam/package.ts'

export const aamPlaces = ['evals/eval-config.json']

/** The config of a package's folder, or of its evals folder; null: there is none. */
export async function findAam(folder: string): Promise<string | null> {
  for (const place of ['evals/eval-config.json', 'eval-config.json']) {
    const file = path.join(folder, place)
    if (await exists(file)) return file
  }
  return null
}

/** The config of each package, and the one that should be there of a package with cases. Other things are called eval-config.json too. */
export function discoverAam({ files }: { files: readonly string[] }): string[] {
  const packages = new Set(files.filter((file) => path.posix.basename(file) === 'package.agent.json').map(folderOf))
  const withCases = new Set(files.flatMap((file) => /^(.*?)\/?cases\/[^/]+\.ya?ml$/.exec(file)?.[1] ?? []))
  const configs = files.filter((file) => {
    if (path.posix.basename(file) !== 'eval-config.json') return false
    return packages.has(rootFolder(file)) || withCases.has(folderOf(file))
  })
  const missing = [...withCases].flatMap((folder) => {
    const isOfPackage = path.posix.basename(folder) === 'evals' && packages.has(folderOf(folder))
    return isOfPackage ? [`${folder}/eval-config.json`] : []
  })
  return [...new Set([...configs, ...missing])]
}

function folderOf(file: string): string {
  const folder = path.posix.dirname(file)
  return folder === '.' ? '' : folder
}

/** As in packages: '' is the tree's own. */
function rootFolder(config: string): string {
  const root = rootOfAam(config)
  return root === '.' ? '' : root
}

/** The package of a config: the folder that holds evals/. */
export function rootOfAam(place: string): string {
  const folder = path.dirname(configOf(place))
  return path.basename(folder) === 'evals' ? path.dirname(folder) : folder
}

/** That of a case which is named itself. */
function configOf(place: string): string {
  return isCase(place) ? path.join(path.dirname(place), '../eval-config.json') : place
}

function isCase(place: string): boolean {
  return /\.ya?ml$/.test(place)
}

/** Of a skill's folder in the package: the cases about that skill alone, for bench. Throws UserError for a config that can't be used. */
export async function loadAam(place: string, root: string): Promise<Suite> {
  return (await inspectAam(place, root)).suite
}

export async function inspectAam(place: string, root: string): Promise<InspectedSuite> {
  const config = configOf(place)
  const { warn, list } = collectWarnings(config)
  const folder = path.join(path.dirname(config), 'cases')
  const names = entriesIn(folder).flatMap(({ name }) =>
    isCase(name) && (place === config || name === path.basename(place)) ? name : [],
  )
  const packageRoot = rootOfAam(config)
  const { defaults, sandbox, env, unread } = await readConfig(config, packageRoot, warn)
  const own = await readPackage(packageRoot, warn)
  if (names.length === 0)
    throw new UserError(`${folder}: no case found`, 'write <name>.yaml there; docs/formats.md shows one')
  const read: { one: Omit<SuiteCase, 'eval_id'>; file: string }[] = []
  for (const name of names) {
    const file = path.join(folder, name)
    read.push({ one: await readAamCase({ file, config, package: own, env, unread, warn }), file })
  }
  const seen = new Set<string>()
  for (const { one, file } of read) {
    if (seen.has(one.eval_name)) warn(file, `the name ${one.eval_name} is another case's too: --case takes both`)
    seen.add(one.eval_name)
  }
  for (const { name, temperature } of own.agents) {
    if (temperature !== null && read.some(({ one }) => one.target !== `agent:${name}`))
      warn(
        path.join(packageRoot, 'agents', name),
        'parameters.temperature holds where the agent is the target, not as a sub-agent',
      )
  }
  const about = own.skills.find((skill) => skill.path === root)
  const kept = about === undefined ? read : read.filter(({ one }) => one.skill_path === root)
  if (kept.length < read.length)
    warn(config, `${read.length - kept.length} cases are about something else; eval runs them`)
  const suite: Suite = {
    format: 'aam',
    path: config,
    skill_name: about?.name ?? own.name,
    root: packageRoot,
    ...(own.version !== null && { version: own.version }),
    sandbox,
    defaults,
    fast_fail: true,
    cases: kept.map(({ one }, index) => ({ eval_id: index + 1, ...one })),
    warnings: list(),
  }
  return { suite, places: kept.map(({ file }) => ({ file, at: null })), mistakes: [] }
}
