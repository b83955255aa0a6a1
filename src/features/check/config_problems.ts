/** Names, for `check`, the configuration files whose settings count only once the user confirmed them. */
import type { Problem } from '../../../schemas/check_report.ts'
import { UserError } from '../../base/errors/error.ts'
import { configurableSettings, configuredCommands } from '../../cli/config/config_keys.ts'
import { listUnconfirmed } from '../../cli/config/confirm_settings.ts'
import { findConfigs } from '../../cli/config/find_config.ts'
import { readConfigFile } from '../../cli/config/read_config.ts'
import { toProblem } from '../../phases/1-plan/check/rules/rule.ts'
import { configTrustRule } from '../../phases/1-plan/check/rules/suite_rules.ts'

/** A function that returns the problem of the file for a folder and the folders above; each file once. */
export function createConfigFinder(env: NodeJS.ProcessEnv): (start: string) => Promise<Problem[]> {
  const named = new Set<string>()
  return async (start) => {
    const { file, own } = await findConfigs(start, env)
    if (file === null || named.has(file)) return []
    named.add(file)
    try {
      const lines = await listLines({ file, own, env })
      if (lines.size === 0) return []
      const [first = 1] = lines.keys()
      const message = `these settings count only once you confirm them: ${[...lines].map(([line, text]) => `${line}: ${text}`).join('; ')}`
      const fix = 'read them; on a terminal bench asks once, elsewhere it needs --trust-config'
      return [toProblem(configTrustRule, { message, fix, line: first }, file)]
    } catch (error) {
      if (error instanceof UserError) return [] // the commands that read the file report its mistakes
      throw error
    }
  }
}

/** The text of each setting that is not confirmed, by its line. */
async function listLines({
  file,
  own,
  env,
}: {
  file: string
  own: string | null
  env: NodeJS.ProcessEnv
}): Promise<Map<number, string>> {
  const found = new Map<number, Set<string>>()
  for (const command of configuredCommands) {
    const { settings } = await readConfigFile(file, command)
    const ofUser = own === null ? [] : (await readConfigFile(own, command)).settings
    const context = { file, commit: null, env, flags: configurableSettings(command) }
    const values = new Map(ofUser.map((one) => [one.key, one.values]))
    for (const { line, key, value, effect } of await listUnconfirmed(settings, { ...context, own: values }))
      found.set(line, (found.get(line) ?? new Set()).add(`${key}: ${value} (${effect})`))
  }
  const lines = [...found].sort(([a], [b]) => a - b)
  return new Map(lines.map(([line, settings]) => [line, [...settings].join('; ')]))
}
