/** evals/eval-config.json of an AAM package: engine, judge, limits and surroundings of its cases. */
import type { SandboxSettings } from '../../../../../schemas/evals.ts'
import type { SuiteDefaults } from '../../../../../schemas/suite.ts'
import { UserError } from '../../../../base/error.ts'
import { exists } from '../../../../base/files.ts'
import { parseJson } from '../../../../base/json.ts'
import { suiteVariables } from '../../../../base/suite_variables.ts'
import type { Warn } from '../../warnings.ts'
import { openAamFile, valuesOf } from './fields.ts'
import { leavesFolder, packageText } from './own.ts'

export interface AamConfig {
  defaults: SuiteDefaults
  sandbox: SandboxSettings
  env: Record<string, string>
  /** Fields that nobody reads, by their names. */
  unread: Record<string, unknown>
}

/** Engines that the format names and we have. */
const supported: ReadonlySet<string> = new Set(['claude-code', 'codex'])
const reserved: ReadonlySet<string> = new Set(['copilot', 'cursor'])
const timeoutSeconds = 120

/** `root`: of the package. Throws UserError for a file that can't be read, and for mistakes in it. */
export async function readConfig(file: string, root: string, warn: Warn): Promise<AamConfig> {
  const form =
    'a package with cases has one, such as {"version": 1, "engine": "claude-code"}; docs/formats.md shows the fields'
  if (!(await exists(file))) throw new UserError(`${file}: no such file`, form)
  const text = await packageText(root, file)
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
    if (leavesFolder(one)) sandbox.wrong('writable-paths', `holds ${one}, which leads out of the workspace`)
  }
  const [first, ...others] = mistakes
  if (first !== undefined) {
    const more = others.map(({ at, message }) => `; ${at}: ${message}`).join('')
    throw new UserError(`${first.at}: ${first.message}${more}`, 'docs/formats.md shows the fields')
  }
  const { set, refused } = suiteVariables(env)
  for (const name of refused) warn(`env.${name}`, 'is not set: the run has its own')
  const unread = unknown()
  for (const { at, message } of unread) warn(at, message)
  return {
    defaults: {
      ...engineOf(engine ?? ''),
      ...(judge && { judge: judge.replace(/^claude-(sonnet|opus|haiku)$/, '$1') }),
      timeout_seconds: timeout ?? timeoutSeconds,
    },
    sandbox: {
      network: network === true ? 'open' : 'none',
      ...(writable.length > 0 && { only_writable: writable.map((one) => one.replace(/\/+$/, '') || '.') }),
    },
    env: set,
    unread: valuesOf(unread),
  }
}

function engineOf(engine: string): Pick<SuiteDefaults, 'engine' | 'unsupported_engine'> {
  if (supported.has(engine)) return { engine }
  const why = reserved.has(engine) ? 'it is reserved: it has no headless mode yet' : 'claude-code and codex are known'
  return { unsupported_engine: `${engine} (${why})` }
}
