/** Cases whose environment an engine does not honour can't run on it: nothing of a suite is left out in silence. */
import type { EngineChoice } from '../../schemas/plan.ts'
import type { Environment, LoadWarning, Suite } from '../../schemas/suite.ts'
import type { Honours } from '../engines/engine.ts'
import { engineNamed } from '../engines/table.ts'

const nothing: Honours = { hooks: [], rules: false, agents: false, mcp_servers: false }

/** The suite for this engine: what it can't honour is the reason in `cannot_run`, or left out where a case may lack it; what nobody can know is a warning. */
export function withHonoured(suite: Suite, choice: EngineChoice): Suite {
  if (choice.name === 'auto' || suite.cases.every((one) => one.environment === undefined)) return suite // none can work: said
  const { name, honours = nothing } = engineNamed(choice.name)
  if (honours === 'unknown') return { ...suite, warnings: [...suite.warnings, unknown(suite, name)] }
  const lacking = new Set<string>()
  const cases = suite.cases.map((one) => {
    if (one.environment === undefined) return one
    const unmet = unmetBy(honours, one.environment)
    const { needs = unmet } = one.environment.may_lack ?? {}
    const needed = unmet.filter((what) => needs.includes(what))
    if (needed.length > 0) {
      const reason = `the engine ${name} does not honour ${needed.join(', ')}`
      return { ...one, cannot_run: one.cannot_run === null ? reason : `${one.cannot_run}; ${reason}` }
    }
    for (const what of unmet) lacking.add(what)
    return unmet.length === 0 ? one : { ...one, environment: reducedTo(honours, one.environment) }
  })
  if (lacking.size === 0) return { ...suite, cases }
  const message = `the engine ${name} does not honour ${[...lacking].join(', ')}: left out`
  return { ...suite, cases, warnings: [...suite.warnings, { file: suite.path, at: '$.environment', message }] }
}

/** Without what the engine does not honour. */
function reducedTo(honours: Honours, environment: Environment): Environment {
  const { agent_texts, tools, system_prompt, temperature, commands, ...others } = environment
  const { hooks } = honours
  const kept = Object.entries(environment.hooks).flatMap(([event, groups]) => {
    if (hooks === 'all') return [[event, groups] as const]
    const runnable = groups
      .map((group) => ({ ...group, hooks: group.hooks.filter(({ type }) => type === 'command') }))
      .filter((group) => group.hooks.length > 0)
    return hooks.includes(event) && runnable.length > 0 ? [[event, runnable] as const] : []
  })
  return {
    ...others,
    hooks: Object.fromEntries(kept),
    rules: honours.rules ? environment.rules : [],
    agents: honours.agents ? environment.agents : [],
    mcp_servers: honours.mcp_servers ? environment.mcp_servers : {},
    ...(agent_texts && honours.agents && { agent_texts }),
    ...(tools && honours.tools && { tools }),
    ...(system_prompt && honours.system_prompt && { system_prompt }),
    ...(temperature !== undefined && honours.temperature && { temperature }),
    ...(commands && honours.commands && { commands }),
  }
}

function unknown(suite: Suite, engine: string): LoadWarning {
  const message = `the engine ${engine} only lays out the environment: your program must read it by itself`
  return { file: suite.path, at: '$.environment', message }
}

function unmetBy(honours: Honours, environment: Environment): string[] {
  const { hooks, rules, agents, mcp_servers, agent_texts = {}, tools, system_prompt, commands = [] } = environment
  const events = Object.keys(hooks).filter((event) => honours.hooks !== 'all' && !honours.hooks.includes(event))
  const others = honours.hooks === 'all' ? [] : otherTypes(hooks)
  return [
    ...events.map((event) => `hooks of ${event}`),
    ...others.map((type) => `hooks of type ${type}`),
    ...(rules.length > 0 && !honours.rules ? ['rules'] : []),
    ...(agents.length + Object.keys(agent_texts).length > 0 && !honours.agents ? ['sub-agents'] : []),
    ...(Object.keys(mcp_servers).length > 0 && !honours.mcp_servers ? ['MCP servers'] : []),
    ...(system_prompt !== undefined && !honours.system_prompt ? ['a system prompt'] : []),
    ...(environment.temperature !== undefined && !honours.temperature ? ['a temperature'] : []),
    ...(tools !== undefined && !honours.tools ? ['a choice of tools'] : []),
    ...(commands.length > 0 && !honours.commands ? ['commands'] : []),
  ]
}

/** Types of hooks other than commands. */
function otherTypes(hooks: Environment['hooks']): string[] {
  const entries = Object.values(hooks).flatMap((groups) => groups.flatMap((group) => group.hooks))
  return [...new Set(entries.map(({ type }) => type))].filter((type) => type !== 'command')
}
