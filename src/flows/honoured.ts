/** Cases whose environment an engine does not honour can't run on it: nothing of a suite is left out in silence. */
import type { EngineChoice } from '../../schemas/plan.ts'
import type { Environment, LoadWarning, Suite } from '../../schemas/suite.ts'
import type { Honours } from '../engines/engine.ts'
import { engineNamed } from '../engines/table.ts'

const nothing: Honours = { hooks: [], rules: false, agents: false, mcp_servers: false }

/** The suite for this engine: what it can't honour is the reason in `cannot_run`; what nobody can know is a warning. */
export function withHonoured(suite: Suite, choice: EngineChoice): Suite {
  if (suite.cases.every((one) => one.environment === undefined)) return suite
  const { name, honours = nothing } = engineNamed(choice.name)
  if (honours === 'unknown') return { ...suite, warnings: [...suite.warnings, unknown(suite, name)] }
  const cases = suite.cases.map((one) => {
    const unmet = one.environment === undefined ? [] : unmetBy(honours, one.environment)
    if (unmet.length === 0) return one
    const reason = `the engine ${name} does not honour ${unmet.join(', ')}`
    return { ...one, cannot_run: one.cannot_run === null ? reason : `${one.cannot_run}; ${reason}` }
  })
  return { ...suite, cases }
}

function unknown(suite: Suite, engine: string): LoadWarning {
  const message = `the engine ${engine} only lays out the environment: your program must read it by itself`
  return { file: suite.path, at: '$.environment', message }
}

function unmetBy(honours: Honours, { hooks, rules, agents, mcp_servers }: Environment): string[] {
  const events = Object.keys(hooks).filter((event) => honours.hooks !== 'all' && !honours.hooks.includes(event))
  const others = honours.hooks === 'all' ? [] : otherTypes(hooks)
  return [
    ...events.map((event) => `hooks of ${event}`),
    ...others.map((type) => `hooks of type ${type}`),
    ...(rules.length > 0 && !honours.rules ? ['rules'] : []),
    ...(agents.length > 0 && !honours.agents ? ['sub-agents'] : []),
    ...(Object.keys(mcp_servers).length > 0 && !honours.mcp_servers ? ['MCP servers'] : []),
  ]
}

/** Types of hooks other than commands. */
function otherTypes(hooks: Environment['hooks']): string[] {
  const entries = Object.values(hooks).flatMap((groups) => groups.flatMap((group) => group.hooks))
  return [...new Set(entries.map(({ type }) => type))].filter((type) => type !== 'command')
}
