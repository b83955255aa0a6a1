/** The acp engine: any agent that speaks the Agent Client Protocol, by its command line. */
import { withPlaceholders } from '../../engines/cli/key_placeholders.ts'
import { anthropicServer, anyProviderKeys, googleServer, openaiServer, reaches } from '../../engines/command_line.ts'
import type { Engine } from '../../engines/engine.ts'
import { findAgent, parseAgentCommand } from './plain_agent.ts'

const skillsFolder = '.agents/skills'
const otherSkillsFolders = ['.claude/skills', '.gemini/skills', '.qwen/skills', '.pi/skills', '.github/skills']

/** By their documentation or the registry of ACP. */
const agents: Readonly<Record<string, string>> = {
  auggie: 'auggie --acp',
  cline: 'cline --acp',
  cursor: 'cursor-agent acp',
  droid: 'droid exec --output-format acp',
  goose: 'goose acp',
  grok: 'grok agent stdio',
  junie: 'junie --acp=true',
  kimi: 'kimi acp',
  kiro: 'kiro-cli acp',
  openhands: 'openhands acp',
  vibe: 'vibe-acp',
}

export const acp: Engine = createAcpEngine({ startMs: 60_000 })

/** `startMs`: milliseconds until the session must be open; tests give less. */
export function createAcpEngine(limits: { startMs: number }): Engine {
  // most commands need neither
  const run: Engine['run'] = async (task, context) => {
    const { runAgent } = await import('./run_agent.ts')
    return await runAgent({ task, context, skillsFolder, ...limits })
  }
  return {
    name: 'acp',
    takesCommand: { example: 'goose acp', agents },
    credentials: anyProviderKeys,
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
    run: withPlaceholders(run, anthropicServer, openaiServer, googleServer),
  }
}
