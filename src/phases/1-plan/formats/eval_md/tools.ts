/** Maps the tool modules of SkillKit to equivalent tools of the agents. */
import type { EvalMdProvider } from './settings.ts'

/** Keyed by the last part of the module's name. */
const equivalentTools: Readonly<Record<string, string>> = { Shell: 'Bash' }

export type ToolReading = { kind: 'tool'; name: string } | { kind: 'not_here'; name: string; why: string }

/** Whether it is one of SkillKit's own tools, which may also be listed under skills. */
export function isToolModule({ kind, name }: EvalMdProvider): boolean {
  return kind === 'module' && /^(?:Elixir\.)?SkillKit\.Tools\./.test(name)
}

export function readToolProvider({ kind, name }: EvalMdProvider): ToolReading {
  const own = /^(?:Elixir\.)?SkillKit\.Tools\.(\w+)$/.exec(name)?.[1]
  const tool = own !== undefined && Object.hasOwn(equivalentTools, own) ? equivalentTools[own] : undefined
  if (tool !== undefined) return { kind: 'tool', name: tool }
  const why =
    kind === 'module' ? 'an Elixir module without an equivalent tool here' : 'a folder of tools written for SkillKit'
  return { kind: 'not_here', name, why }
}
