/** The tool modules of SkillKit, and which tools of an agent here are the same. */
import type { Provider } from './settings.ts'

/** By the last part of the module's name. */
const ours: Readonly<Record<string, string>> = { Shell: 'Bash' }

export type ToolReading = { kind: 'tool'; name: string } | { kind: 'not_here'; name: string; why: string }

/** Whether it is one of SkillKit's own tools, which may stand among skills too. */
export function isToolModule({ kind, name }: Provider): boolean {
  return kind === 'module' && /^(?:Elixir\.)?SkillKit\.Tools\./.test(name)
}

export function readTool({ kind, name }: Provider): ToolReading {
  const own = /^(?:Elixir\.)?SkillKit\.Tools\.(\w+)$/.exec(name)?.[1]
  const tool = own !== undefined && Object.hasOwn(ours, own) ? ours[own] : undefined
  if (tool !== undefined) return { kind: 'tool', name: tool }
  const why =
    kind === 'module' ? 'an Elixir module, and no tool here is the same' : 'a folder of tools written for SkillKit'
  return { kind: 'not_here', name, why }
}
