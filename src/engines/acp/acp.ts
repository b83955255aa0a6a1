/** The acp engine: any agent that speaks the Agent Client Protocol, by its command line. */
import { withPlaceholders } from '../cli/key_placeholders.ts'
import { anthropicServer, commandEngine, openaiServer, reaches } from '../command/command.ts'
import type { Engine } from '../engine.ts'
import { findAgent, parseAgentCommand } from './plain_agent.ts'

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
    credentials: commandEngine.credentials,
    skillsFolder,
    // where known agents look for skills: a command line may start any of them
    otherSkillsFolders,
    supports: { hooks: [], rules: false, agents: false, mcp_servers: true },
    continuesSession: true,
    reaches,
    async findPrograms(task) {
      const parsed = parseAgentCommand(task.command)
      if ('mistake' in parsed) return []
      const { program, words } = await findAgent(parsed.words, task.env)
      return program === null ? words.slice(1) : [program, ...words.slice(1)]
    },
    async probe(request) {
      const { probeAgent } = await import('./probe.ts')
      return await probeAgent(request, limits)
    },
    run: withPlaceholders(run, anthropicServer, openaiServer),
  }
}
