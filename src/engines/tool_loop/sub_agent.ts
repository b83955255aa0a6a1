/** Sub-agents of the suite in the tool loop: one works on a part of the task, with instructions of its own, in the same folder. */
import * as z from 'zod'
import type { EngineTask, SubAgent } from '../engine.ts'
import type { ModelApi } from './session.ts'
import { type Loop, takeTurn } from './take_turn.ts'
import { describeTools } from './tools/table.ts'
import { defineTool, type LocalTool, type ToolAnswer } from './tools/tool.ts'

/** As in Claude Code, so that a check of a tool's name means the same on both. */
const agentTool = 'Agent'

/** The tool that starts one of the task's sub-agents; null: it has none, or may not change anything (a judge). */
export function createAgentTool(
  { environment, tools }: Pick<EngineTask, 'environment' | 'tools'>,
  start: (agent: SubAgent, prompt: string) => Promise<ToolAnswer>,
): LocalTool | null {
  const agents = tools === 'all' ? (environment?.agents ?? []) : []
  if (agents.length === 0) return null
  const names = agents.map(({ name }) => name)
  const list = agents.map(({ name, description }) => `- ${name}: ${description.replace(/\s+/g, ' ').trim()}`)
  return defineTool({
    name: agentTool,
    description: [
      'Has a sub-agent do a part of the task in the same folder, and gives its final answer. It sees nothing of this conversation.',
      'These are available:',
      ...list,
    ].join('\n'),
    readOnly: false,
    input: z.object({
      description: z.string().optional().describe('the part of the task in a few words'),
      prompt: z.string().min(1).describe('all that the sub-agent must know'),
      subagent_type: z.enum(names).describe('name of the sub-agent'),
    }),
    work: async ({ prompt, subagent_type }) => {
      const agent = agents.find(({ name }) => name === subagent_type)
      return agent === undefined ? `no sub-agent is named ${subagent_type}` : await start(agent, prompt)
    },
  })
}

interface SubAgentPlace {
  task: EngineTask
  api: ModelApi
  send: typeof fetch
  /** The agent's own. */
  loop: Loop
}

/** Its responses, tokens and cost count in the run, and so do its turns. It can't start sub-agents. Rejects only when aborted. */
export async function runSubAgent(
  agent: SubAgent,
  prompt: string,
  { task, api, send, loop }: SubAgentPlace,
): Promise<ToolAnswer> {
  const { work, workshop, maxTurns } = loop
  if (maxTurns !== null && work.step >= maxTurns)
    return { text: 'not done: no response is left for it (--max-turns)', isError: true }
  const tools = workshop.tools.filter(({ name }) => mayUse(agent, name))
  const session = await api.open(toSubTask(task, agent, prompt), describeTools(tools, null), send)
  if ('kind' in session) return { text: session.message, isError: true, failure: session }
  workshop.emit({ type: 'system', step: work.step, subtype: 'sub_agent', text: agent.name })
  const before = work.text
  work.text = ''
  const own = { ...workshop, tools, answerSchema: null }
  const end = await takeTurn({ ...loop, session, workshop: own, isSubAgent: true })
  const text = work.text === '' ? '(no answer)' : work.text
  work.text = before
  if ('kind' in end) return { text: end.message, isError: true, failure: end }
  return end.stopReason === 'end_turn'
    ? { text, isError: false }
    : { text: `${text}\n(it ended early: ${end.stopReason})`, isError: true }
}

/** The same model, skills, rules and folder; its instructions instead of the agent's own. */
function toSubTask(task: EngineTask, { prompt: systemPrompt }: SubAgent, prompt: string): EngineTask {
  const { images: _, sharedPrefix: __, nextMessage: ___, environment, ...others } = task
  return { ...others, prompt, answerSchema: null, environment: environment && { ...environment, systemPrompt } }
}

/** A name may also stand for all tools of an MCP server: mcp__server. */
function mayUse({ tools, disallowedTools = [] }: SubAgent, name: string): boolean {
  const names = (one: string) => one === '*' || one === name || name.startsWith(`${one.replace(/__\*$/, '')}__`)
  return name !== agentTool && (tools?.some(names) ?? true) && !disallowedTools.some(names)
}
