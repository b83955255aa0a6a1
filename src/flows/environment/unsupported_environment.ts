/** Excludes cases with an environment or a conversation that the engine does not support, so that no setting is dropped silently. */
import type { EngineChoice } from '../../../schemas/plan.ts'
import type { Environment, LoadWarning, Suite, SuiteCase } from '../../../schemas/suite.ts'
import type { SupportedEnvironment } from '../../engines/engine.ts'
import { findEngine } from '../../engines/table.ts'
import { hasConversation } from '../../phases/1-plan/plan/plan_conversation.ts'

export const noSupport: SupportedEnvironment = { hooks: [], rules: false, agents: false, mcp_servers: false }

/** Unsupported settings become the reason in `cannot_run`, or are dropped if optional; unknown support becomes a warning. */
export function applyEngineSupport(suite: Suite, choice: EngineChoice): Suite {
  if (choice.name === 'auto' || suite.cases.every((one) => one.environment === undefined)) return suite // none available: already reported
  const { name, supports = noSupport } = findEngine(choice.name)
  if (supports === 'unknown') {
    if (!suite.cases.some(needsSupport)) return suite
    return { ...suite, warnings: [...suite.warnings, unknownSupportWarning(suite, name)] }
  }
  const lacking = new Set<string>()
  const cases = suite.cases.map((one) => {
    if (one.environment === undefined) return one
    const unmet = listUnsupported(supports, one.environment)
    const { needs = unmet } = one.environment.may_lack ?? {}
    const needed = unmet.filter((what) => needs.includes(what))
    if (needed.length > 0) {
      const reason = `the engine ${name} does not support ${needed.join(', ')}`
      return { ...one, cannot_run: one.cannot_run === null ? reason : `${one.cannot_run}; ${reason}` }
    }
    for (const what of unmet) lacking.add(what)
    return unmet.length === 0 ? one : { ...one, environment: reduceEnvironment(supports, one.environment) }
  })
  if (lacking.size === 0) return { ...suite, cases }
  const message = `the engine ${name} does not support ${[...lacking].join(', ')}: left out`
  return { ...suite, cases, warnings: [...suite.warnings, { file: suite.path, at: '$.environment', message }] }
}

/** The suite with its real MCP servers instead of their recordings. */
export function useLiveServers(suite: Suite): Suite {
  const cases = suite.cases.map((one) => {
    if (one.environment?.recordings === undefined) return one
    const { recordings: _, ...environment } = one.environment
    return { ...one, environment }
  })
  return { ...suite, cases }
}

/** Variables and programs reach every engine. */
function needsSupport({ environment }: SuiteCase): boolean {
  if (environment === undefined) return false
  const { env: _, programs: __, ...others } = environment
  return Object.values(others).some((part) => typeof part !== 'object' || Object.keys(part).length > 0)
}

/** Removes what the engine does not support. */
export function reduceEnvironment(supports: SupportedEnvironment, environment: Environment): Environment {
  const { agent_texts, tools, system_prompt, temperature, commands, ...others } = environment
  const { hooks } = supports
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
    rules: supports.rules ? environment.rules : [],
    agents: supports.agents ? environment.agents : [],
    mcp_servers: supports.mcp_servers ? environment.mcp_servers : {},
    ...(agent_texts && supports.agents && { agent_texts }),
    ...(tools && supports.tools && { tools }),
    ...(system_prompt && supports.system_prompt && { system_prompt }),
    ...(temperature !== undefined && supports.temperature && { temperature }),
    ...(commands && supports.commands && { commands }),
  }
}

function unknownSupportWarning(suite: Suite, engine: string): LoadWarning {
  const message = `the engine ${engine} only writes the files of the environment: your program must read them by itself`
  return { file: suite.path, at: '$.environment', message }
}

export function listUnsupported(supports: SupportedEnvironment, environment: Environment): string[] {
  const { hooks, rules, agents, agent_texts = {}, tools, system_prompt, commands = [] } = environment
  const events = Object.keys(hooks).filter((event) => supports.hooks !== 'all' && !supports.hooks.includes(event))
  const others = supports.hooks === 'all' ? [] : otherTypes(hooks)
  return [
    ...events.map((event) => `hooks of ${event}`),
    ...others.map((type) => `hooks of type ${type}`),
    ...(rules.length > 0 && !supports.rules ? ['rules'] : []),
    ...(agents.length + Object.keys(agent_texts).length > 0 && !supports.agents ? ['sub-agents'] : []),
    ...(Object.keys(environment.mcp_servers).length > 0 && !supports.mcp_servers ? ['MCP servers'] : []),
    ...(system_prompt !== undefined && !supports.system_prompt ? ['a system prompt'] : []),
    ...(environment.temperature !== undefined && !supports.temperature ? ['a temperature'] : []),
    ...(tools !== undefined && !supports.tools ? ['a choice of tools'] : []),
    ...(commands.length > 0 && !supports.commands ? ['commands'] : []),
  ]
}

/** Excludes cases of several turns on an engine that can't continue a session; the reason is in `cannot_run`. */
export function applyConversationSupport(suite: Suite, choice: EngineChoice): Suite {
  if (findEngine(choice.name).continuesSession || !suite.cases.some(hasConversation)) return suite
  const reason = `it has several turns, and the engine ${choice.name} can't continue a session`
  const cases = suite.cases.map((one) => {
    if (!hasConversation(one)) return one
    return { ...one, cannot_run: one.cannot_run === null ? reason : `${one.cannot_run}; ${reason}` }
  })
  return { ...suite, cases }
}

function otherTypes(hooks: Environment['hooks']): string[] {
  const entries = Object.values(hooks).flatMap((groups) => groups.flatMap((group) => group.hooks))
  return [...new Set(entries.map(({ type }) => type))].filter((type) => type !== 'command')
}
