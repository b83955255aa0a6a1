/** The acp engine: any agent that speaks the Agent Client Protocol, by a preset's name or by its command line. */
import { withPlaceholders } from '../cli/key_placeholders.ts'
import { commandEngine } from '../command/command.ts'
import type { Engine } from '../engine.ts'
import { parseAgentCommand, presetCredentials } from './agent_command.ts'
import { findAgent } from './plain_agent.ts'
import { listEndpoints, plainServers, presetServer } from './prepare_agent.ts'
import { acpSupport } from './protocol/mcp_servers.ts'

/** Milliseconds until the session must be open. */
const startMs = 60_000

const skillsFolder = '.agents/skills'
const otherSkillsFolders = ['.claude/skills', '.gemini/skills', '.qwen/skills', '.pi/skills', '.github/skills']

export const acp: Engine = createAcpEngine({ startMs })

/** The engine with another time for the start of an agent, for tests. */
export function createAcpEngine(limits: { startMs: number }): Engine {
  // most commands need neither
  const run: Engine['run'] = async (task, context) => {
    const { runAgent } = await import('./run_agent.ts')
    return await runAgent({ task, context, skillsFolder, ...limits })
  }
  return {
    name: 'acp',
    takesCommand: true,
    credentials: [...new Set([...commandEngine.credentials, ...presetCredentials()])],
    skillsFolder,
    // where known agents look for skills: a command line may start any of them
    otherSkillsFolders,
    readsSkillsFolder: (command) => parseAgentCommand(command).kind === 'preset',
    supports: acpSupport,
    continuesSession: true,
    efforts: listEfforts,
    reaches: listEndpoints,
    async findPrograms(task) {
      const agent = parseAgentCommand(task.command)
      if (agent.kind === 'preset') return (await agent.preset.engine.findPrograms?.(task)) ?? []
      if (agent.kind === 'mistake') return []
      const { program, words } = await findAgent(agent.words, task.env)
      return program === null ? words.slice(1) : [program, ...words.slice(1)]
    },
    async reports(model, command = null) {
      const agent = parseAgentCommand(command)
      const own = agent.kind === 'preset' ? await agent.preset.engine.reports?.(model) : undefined
      return own ?? { cost: false, tokens: false }
    },
    async probe(request) {
      const { probeAgent } = await import('./probe.ts')
      return await probeAgent(request, limits)
    },
    run: withPlaceholders(run, presetServer, ...plainServers),
  }
}

/** Those of a preset; the protocol has none, so none for a command. */
function listEfforts(model: string | null, command: string | null = null): readonly string[] {
  const agent = parseAgentCommand(command)
  return agent.kind === 'preset' ? (agent.preset.engine.efforts?.(model) ?? []) : []
}
