/** Says before anything is paid for which settings of the suite's sub-agents an engine does not follow. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Environment, LoadWarning, Suite } from '../../../schemas/suite.ts'
import { walk } from '../../base/fs/files.ts'
import type { Engine } from '../../engines/engine.ts'
import { readSubAgent } from '../../engines/environment/sub_agents.ts'

/** What Claude Code reads and the work depends on (code.claude.com/docs/en/sub-agents); `color` and the like are not. */
const settings = [
  ...['tools', 'disallowedTools', 'model', 'permissionMode', 'maxTurns', 'skills', 'mcpServers', 'hooks', 'memory'],
  ...['effort', 'isolation', 'background', 'initialPrompt'],
]

/** A warning for each sub-agent with such settings. */
export async function warnOfAgentFields(
  { path: file, cases }: Suite,
  { name, supports }: Engine,
): Promise<LoadWarning[]> {
  if (supports === undefined || supports === 'unknown' || !supports.agents) return []
  const { agent_fields: followed = [] } = supports
  if (followed === 'all') return []
  const messages = new Set<string>()
  for (const { environment, cannot_run } of cases) {
    if (environment === undefined || cannot_run !== null) continue
    for (const [own, text] of await readAgentTexts(environment)) {
      const { agent, fields } = readSubAgent(text, own)
      const dropped = settings.filter((field) => fields.includes(field) && !followed.includes(field))
      if (dropped.length === 0) continue
      messages.add(`the engine ${name} does not follow ${dropped.join(', ')} of the sub-agent ${agent.name}`)
    }
  }
  return [...messages].map((message) => ({ file, at: '$.environment.agents', message }))
}

/** The sub-agents of a case, by the names of their files. */
async function readAgentTexts({ agents, agent_texts = {} }: Environment): Promise<[string, string][]> {
  const listed = agents.map(async ({ path: name, source, kind }): Promise<[string, string][]> => {
    const inside =
      kind === 'directory' ? (await walk(source)).files.map((one) => path.join(source, one.path)) : [source]
    const files = inside.filter((one) => one.endsWith('.md'))
    return Promise.all(
      files.map(async (one) => [path.basename(kind === 'directory' ? one : name, '.md'), await readFile(one, 'utf8')]),
    )
  })
  return [...(await Promise.all(listed)).flat(), ...Object.entries(agent_texts)]
}
