/** Reads evals/eval-config.json of an AAM package: engine, judge, limits and environment of its cases. */
import type { SandboxSettings } from '../../../../../schemas/evals.ts'
import type { SuiteDefaults } from '../../../../../schemas/suite.ts'
import { UserError } from '../../../../base/errors/error.ts'
import { pathExists } from '../../../../base/fs/files.ts'
import { parseJson } from '../../../../base/json/json.ts'
import { suiteVariables } from '../../../../base/secrets/suite_variables.ts'
import type { Warn } from '../../suite/loader_warnings.ts'
import { openAamFile, toUnreadValues } from './fields.ts'
import { leavesFolder, readPackageText } from './package_files.ts'

export interface AamConfig {
  defaults: SuiteDefaults
  sandbox: SandboxSettings
  env: Record<string, string>
  /** Unknown fields by name. */
  unread: Record<string, unknown>
}

/** Engines that the format names and Whetstone supports. */
const supportedEngines: ReadonlySet<string> = new Set(['claude-code', 'codex', 'copilot'])
const reservedEngines: ReadonlySet<string> = new Set(['cursor'])
const timeoutSeconds = 120

/** `root`: folder of the package. Throws UserError for an unreadable file and for mistakes in it. */
export async function readAamConfig(file: string, root: string, warn: Warn): Promise<AamConfig> {
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
