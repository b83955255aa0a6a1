/** evals/eval-config.json of an AAM package: engine, judge, limits and surroundings of its cases. */
import type { SandboxSettings } from '../../../../../schemas/evals.ts'
import type { SuiteDefaults } from '../../../../../schemas/suite.ts'
import { UserError } from '../../../../base/error.ts'
import { parseJson, readText } from '../../../../base/json.ts'
import type { Warn } from '../../warnings.ts'
import { openAamFile } from './fields.ts'

export interface AamConfig {
  defaults: SuiteDefaults
  sandbox: SandboxSettings
  env: Record<string, string>
}

/** Engines that the format names and we have. */
const supported: ReadonlySet<string> = new Set(['claude-code', 'codex'])
const reserved: ReadonlySet<string> = new Set(['copilot', 'cursor'])
const timeoutSeconds = 120

/** What a run's own home, and the harness, set. */
const ours =
  /^(HOME|PATH|USERPROFILE|TMPDIR|SHELL|XDG_\w+|WHETSTONE_\w+|LD_\w+|NODE_OPTIONS|IS_SANDBOX|CLAUDE_CONFIG_DIR)$/

/** Throws UserError for a file that can't be read, and for mistakes in it. */
export async function readConfig(file: string, warn: Warn): Promise<AamConfig> {
  const text = await readText(file)
  parseJson(text, file)
  const { fields, mistakes, unknown } = openAamFile(text, file)
  const version = fields.number('version')
  const engine = fields.text('engine')
  const timeout = fields.number('timeout')
  const judge = fields.text('judge')
  const sandbox = fields.inner('sandbox')
  const network = sandbox.flag('network')
  const writable = sandbox.texts('writable-paths')
  const env = fields.textMap('env')
  if (version === null) fields.wrong('version', 'is missing')
  else if (version !== 1) fields.wrong('version', `is ${version}; 1 is known`)
  if (engine === null || engine === '') fields.wrong('engine', 'is missing')
  if (timeout !== null && timeout <= 0) fields.wrong('timeout', 'must be above 0')
  for (const one of writable) {
    if (leavesFolder(one)) sandbox.wrong('writable-paths', `holds ${one}, which leads out of the workspace`)
  }
  const [first, ...others] = mistakes
  if (first !== undefined) {
    const more = others.map(({ at, message }) => `; ${at}: ${message}`).join('')
    throw new UserError(`${first.at}: ${first.message}${more}`, 'docs/formats.md shows the fields')
  }
  for (const { at, message } of unknown()) warn(at, message)
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
    env: allowed(env, (name) => warn(`env.${name}`, 'is not set: the run has its own')),
  }
}

function engineOf(engine: string): Pick<SuiteDefaults, 'engine' | 'unsupported_engine'> {
  if (supported.has(engine)) return { engine }
  const why = reserved.has(engine) ? 'it is reserved: it has no headless mode yet' : 'claude-code and codex are known'
  return { unsupported_engine: `${engine} (${why})` }
}

/** Without what would take the run out of its own home. */
function allowed(env: Record<string, string>, refused: (name: string) => void): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => {
      const isOurs = ours.test(name) || !/^[A-Za-z_]\w*$/.test(name)
      if (isOurs) refused(name)
      return !isOurs
    }),
  )
}

/** Whether a relative path is none that stays below its folder. */
export function leavesFolder(path: string): boolean {
  return path.startsWith('/') || /^[A-Za-z]:/.test(path) || path.includes('\0') || path.split(/[\\/]/).includes('..')
}
