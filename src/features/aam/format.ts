/** Loads the evals of AAM packages: evals/eval-config.json and evals/cases/*.yaml, with the package around the agent. */
import path from 'node:path'
import { glob } from 'tinyglobby'
import type { SandboxSettings } from '../../../schemas/evals.ts'
import type { Suite, SuiteCase, SuiteDefaults } from '../../../schemas/suite.ts'
import { UserError } from '../../base/errors/error.ts'
import { listEntries, pathExists } from '../../base/fs/files.ts'
import { parseJson } from '../../base/json/json.ts'
import { suiteVariables } from '../../base/secrets/suite_variables.ts'
import type { InspectedSuite, SuiteFormat } from '../../phases/1-plan/suite/inspected_suite.ts'
import { collectWarnings, type Warn } from '../../phases/1-plan/suite/loader_warnings.ts'
import { type AamCase, readAamCase } from './case.ts'
import { leavesFolder, openAamFile, readPackageText, toUnreadValues } from './fields.ts'
import { stripTranslator } from './hooks.ts'
import { readAamPackage } from './package.ts'

const aamPlaces = ['evals/eval-config.json']

/** Returns the config of a package's folder, or of its evals folder; null: there is none. */
async function findAam(folder: string): Promise<string | null> {
  for (const place of ['evals/eval-config.json', 'eval-config.json']) {
    const file = path.join(folder, place)
    if (await pathExists(file)) return file
  }
  return null
}

/** Lists each package's config, even a missing one if the package has cases. Other tools also use the name eval-config.json. */
function discoverAam({ files }: { files: readonly string[] }): string[] {
  const packages = new Set(
    files.filter((file) => path.posix.basename(file) === 'package.agent.json').map(containingFolder),
  )
  const withCases = new Set(files.flatMap((file) => /^(.*?)\/?cases\/[^/]+\.ya?ml$/.exec(file)?.[1] ?? []))
  const configs = files.filter((file) => {
    if (path.posix.basename(file) !== 'eval-config.json') return false
    return packages.has(rootFolder(file)) || withCases.has(containingFolder(file))
  })
  const missing = [...withCases].flatMap((folder) => {
    const isOfPackage = path.posix.basename(folder) === 'evals' && packages.has(containingFolder(folder))
    return isOfPackage ? [`${folder}/eval-config.json`] : []
  })
  return [...new Set([...configs, ...missing])]
}

/** Returns the config of a package, even a missing one if the package has cases; null: not a package, or without a suite. */
async function findForPackage(folder: string): Promise<string | null> {
  const places = ['package.agent.json', 'evals/eval-config.json', 'evals/cases/*.{yaml,yml}']
  const files = await glob(places, { cwd: folder })
  const [config] = files.includes('package.agent.json') ? discoverAam({ files }) : []
  return config === undefined ? null : path.join(folder, config)
}

function containingFolder(file: string): string {
  const folder = path.posix.dirname(file)
  return folder === '.' ? '' : folder
}

/** Same form as `packages`: '' is the tree itself. */
function rootFolder(config: string): string {
  const root = findAamRoot(config)
  return root === '.' ? '' : root
}

/** Returns the package of a config: the folder that contains evals/. */
function findAamRoot(place: string): string {
  const folder = path.dirname(findCaseConfig(place))
  return path.basename(folder) === 'evals' ? path.dirname(folder) : folder
}

/** For the path of a case, returns the config of its package. */
function findCaseConfig(place: string): string {
  return isCase(place) ? path.join(path.dirname(place), '../eval-config.json') : place
}

function isCase(place: string): boolean {
  return /\.ya?ml$/.test(place)
}

/** For a skill's folder in the package, reads only that skill's cases (for bench). A check that is none is a mistake, and its case loses it. Throws UserError for an invalid config. */
async function inspectAam(place: string, root: string): Promise<InspectedSuite> {
  const config = findCaseConfig(place)
  const { warn, list } = collectWarnings(config)
  const folder = path.join(path.dirname(config), 'cases')
  const all = listEntries(folder).flatMap(({ name }) => (name.startsWith('.') ? [] : name))
  const names = all.filter((name) => isCase(name) && (place === config || name === path.basename(place)))
  const others = all.filter((name) => !isCase(name)).sort()
  if (others.length > 0) warn(folder, `not read: ${others.join(', ')} (a case is a .yaml file)`)
  const packageRoot = findAamRoot(config)
  const { defaults, sandbox, env, unread } = await readAamConfig(config, packageRoot, warn)
  const own = await readAamPackage(packageRoot, warn)
  if (names.length === 0)
    throw new UserError(`${folder}: no case found`, 'write <name>.yaml there; docs/reference/aam.md shows one')
  const read: (AamCase & { file: string })[] = []
  for (const name of names) {
    const file = path.join(folder, name)
    read.push({ ...(await readAamCase({ file, config, package: own, env, unread, warn })), file })
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
  const kept = about === undefined ? read : read.filter(({ one }) => one.skill_path === root || mayBeSkillCase(one))
  if (kept.length < read.length)
    warn(config, `${read.length - kept.length} of its cases are about something else; eval runs them`)
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
  const mistakes = kept.flatMap(({ lostChecks }) => lostChecks)
  return { suite, places: kept.map(({ file }) => ({ file, at: null })), mistakes }
}

/** An unreadable case does not say which skill it is about, so it is kept and reported. */
function mayBeSkillCase({ cannot_run, skill_path, target }: Omit<SuiteCase, 'eval_id'>): boolean {
  const isOther = target !== undefined && !target.startsWith('skill:')
  return cannot_run !== null && !skill_path && !isOther
}

/** Reads evals/eval-config.json of an AAM package: engine, judge, limits and environment of its cases. */
interface AamConfig {
  defaults: SuiteDefaults
  sandbox: SandboxSettings
  env: Record<string, string>
  unread: Record<string, unknown>
}

/** Engines that the format names and Whetstone supports. */
const supportedEngines: ReadonlySet<string> = new Set(['claude-code', 'codex', 'copilot'])
const reservedEngines: ReadonlySet<string> = new Set(['cursor'])
const timeoutSeconds = 120

/** `root`: folder of the package. Throws UserError for an unreadable file and for mistakes in it. */
async function readAamConfig(file: string, root: string, warn: Warn): Promise<AamConfig> {
  const form =
    'a package with cases has one, such as {"version": 1, "engine": "claude-code"}; docs/reference/aam.md shows the fields'
  if (!(await pathExists(file))) throw new UserError(`${file}: no such file`, form)
  const text = await readPackageText(root, file)
  parseJson(text, file)
  const { fields, mistakes, unknown } = openAamFile(text, file)
  const version = fields.number('version')
  const engine = fields.text('engine')
  const timeout = fields.seconds('timeout')
  const judge = fields.text('judge')
  const sandbox = fields.inner('sandbox')
  const network = sandbox.flag('network')
  const writable = sandbox.texts('writable-paths')
  const env = fields.textMap('env')
  if (version === null) fields.wrong('version', 'is missing')
  else if (version !== 1) fields.wrong('version', `is ${version}; 1 is known`)
  if (engine === null || engine === '') fields.wrong('engine', 'is missing')
  for (const one of writable) {
    if (leavesFolder(one)) sandbox.wrong('writable-paths', `contains ${one}, which leads out of the workspace`)
  }
  const unread = unknown()
  const [first, ...others] = [...mistakes, ...unread.filter(({ meant }) => meant !== null)]
  if (first !== undefined) {
    const more = others.map(({ at, message }) => `; ${at}: ${message}`).join('')
    throw new UserError(`${first.at}: ${first.message}${more}`, 'see docs/reference/formats.md for the fields')
  }
  const { set, refused } = suiteVariables(env, 'any')
  for (const name of refused) warn(`env.${name}`, 'is not set: the run has its own')
  for (const { at, message } of unread) warn(at, message)
  return {
    defaults: {
      ...mapEngine(engine ?? ''),
      ...(judge && { judge }),
      timeout_seconds: timeout ?? timeoutSeconds,
    },
    sandbox: {
      network: network === true ? 'open' : 'none',
      ...(writable.length > 0 && { only_writable: writable.map((one) => one.replace(/\/+$/, '') || '.') }),
    },
    env: set,
    unread: toUnreadValues(unread),
  }
}

function mapEngine(engine: string): Pick<SuiteDefaults, 'engine' | 'unsupported_engine'> {
  if (supportedEngines.has(engine)) return { engine }
  const why = reservedEngines.has(engine)
    ? 'it is reserved: it has no headless mode yet'
    : 'claude-code, codex and copilot are known'
  return { unsupported_engine: `${engine} (${why})` }
}

export const aamFormat: SuiteFormat = {
  places: aamPlaces,
  find: findAam,
  findForPackage,
  discover: discoverAam,
  rootOf: findAamRoot,
  checksPage: 'aam.md',
  readHookCommand: stripTranslator,
  reportFolder: (root) => path.join(root, 'evals/reports'),
  reads: (file) => /[/\\](eval-config\.json|cases[/\\][^/\\]+\.ya?ml)$/.test(file),
  inspect: inspectAam,
}
