/** What every agent CLI must do with a suite's MCP server and sub-agent, seen from the model's server. */
import { expect, test } from 'vitest'
import { ServerCalls } from '../../../src/engines/environment/suite_servers.ts'
import { startHttpTickets } from '../../fixtures/servers/http_tickets.ts'
import { type Contender, findContender } from '../contenders.ts'
import { openStage, perform, practice } from '../stage.ts'
import { installed, reviewer, servers } from './stage_environment.ts'

const suiteWithTickets = { folder: '', hooks: {}, rules: [], agents: [], mcpServers: ['tickets'], mcpConfig: null }

interface Ways {
  /** The calls, a response each, that lead to the server's tool. */
  server: readonly object[]
  /** The calls that lead to the sub-agent; absent: the engine has none. */
  agent?: readonly object[]
  /** How the call of the tool is named in the transcript. */
  tool: string
}

const task = { description: 'review', prompt: 'SUB-TASK review', subagent_type: 'reviewer' }
const spawned = { $each: { in: 'lastResult', match: '"agent_id":"(?<id>[^"]+)"', as: '{{id}}' } }

const likeClaude: Ways = {
  server: [{ name: 'mcp__tickets__open_tickets' }],
  agent: [{ name: 'Agent', input: task }],
  tool: 'mcp__tickets__open_tickets',
}

/** By the names of `contenders`. */
const ways: Record<string, Ways> = {
  anthropic: likeClaude,
  openai: likeClaude,
  'claude-code': likeClaude,
  codex: {
    server: [{ name: 'tool_search', input: { query: 'tickets', limit: 3 } }, { name: 'open_tickets' }],
    agent: [
      { name: 'tool_search', input: { query: 'spawn agent', limit: 8 } },
      { name: 'spawn_agent', input: { agent_type: 'reviewer', message: task.prompt } },
      { name: 'wait_agent', input: { targets: spawned } },
    ],
    tool: 'mcp__tickets__open_tickets',
  },
  opencode: {
    server: [{ name: 'tickets_open_tickets' }],
    agent: [{ name: 'task', input: task }],
    tool: 'tickets_open_tickets',
  },
  gemini: {
    server: [{ name: 'mcp_tickets_open_tickets' }],
    agent: [{ name: 'invoke_agent', input: { agent_name: 'reviewer', prompt: task.prompt } }],
    tool: 'mcp_tickets_open_tickets',
  },
  qwen: {
    server: [
      { name: 'tool_search', input: { query: 'select:mcp__tickets__open_tickets' } },
      { name: 'tool_call', input: { name: 'mcp__tickets__open_tickets', arguments: {} } },
    ],
    agent: [{ name: 'agent', input: { ...task, run_in_background: false } }],
    tool: 'mcp__tickets__open_tickets',
  },
  copilot: {
    server: [{ name: 'tickets-open_tickets' }],
    agent: [{ name: 'task', input: { ...task, name: 'review', agent_type: 'reviewer', mode: 'sync' } }],
    tool: 'tickets-open_tickets',
  },
}

/** Its sub-agent answers at once; the agent itself makes the calls one after the other. */
function scenario(calls: readonly object[]): string {
  const sub = { name: 'sub-agent', when: { system: 'AGENT-PROMPT-CANARY' }, text: 'SUB-ANSWER' }
  const subOfCodex = { name: 'sub-agent of codex', when: { user: '^SUB-TASK' }, text: 'SUB-ANSWER' }
  const steps = calls.map((call, index) => ({
    name: `call ${index + 1}`,
    when: { turn: index + 1 },
    tool_calls: [call],
  }))
  return JSON.stringify({ rules: [sub, subOfCodex, ...steps, { name: 'ends', text: 'Done.' }] })
}

async function ran(contender: Contender, calls: readonly object[], mcpServers: object, agents: Record<string, string>) {
  await using server = await practice(scenario(calls))
  await using stage = await openStage()
  const environment = await installed(stage, mcpServers, agents)
  const { outcome, events } = await perform(contender.engine, stage.task({ ...contender.needs(server), environment }))
  return { outcome, events, log: JSON.stringify(server.requests) }
}

/** Adds the tests of one engine; of one that is not in the table, none. */
export function surroundings(name: string): void {
  const contender = findContender(name)
  const own = ways[name]
  if (own === undefined) return
  const { server, agent, tool } = own
  async function expectFailure(mcpServers: object): Promise<void> {
    const { outcome } = await ran(contender, [], mcpServers, {})
    const message = expect.stringMatching(/^these MCP servers of the suite did not start: tickets\b/)
    expect(outcome).toMatchObject({ status: 'failed', error: { kind: 'setup', message, retryable: false } })
  }
  contender.suite(`what a suite puts around ${name}`, () => {
    test('the server is offered, called, and its answer reaches the model', async () => {
      const { outcome, events, log } = await ran(contender, server, servers.works, {})
      expect(outcome).toMatchObject({ status: 'completed', report: { finalResponse: 'Done.' } })
      expect(log).toContain('SERVER-CANARY nowhere')
      const result = events.find((event) => event.type === 'tool_result' && event.output.includes('SERVER-CANARY'))
      expect(result).toMatchObject({ name: tool, is_error: false })
    })
    test('a server that does not start fails the run and is named', async () => {
      await expectFailure(servers.broken)
    })
    test('a server that dies in a call is told from one that answers with an error', async () => {
      const failureOf = async (mcpServers: object) => {
        const { outcome, events } = await ran(contender, server, mcpServers, {})
        expect(outcome.status).toBe('completed')
        const calls = new ServerCalls({ environment: suiteWithTickets })
        for (const event of events) calls.take(event)
        return calls.failure
      }
      const message = expect.stringMatching(/^the suite's MCP server tickets ended during a call of \S*open_tickets/)
      expect(await failureOf(servers.dies)).toMatchObject({ kind: 'setup', message, retryable: false })
      expect(await failureOf(servers.refuses)).toBeNull()
    })
    test('a server with a url is offered and called, with its headers', async () => {
      await using tickets = await startHttpTickets({ answer: 'HTTP-CANARY', token: 'token-of-tickets' })
      const headers = { Authorization: `Bearer \${NO_TOKEN:-token-of-tickets}` }
      const mcpServers = { tickets: { type: 'http', url: tickets.url, headers } }
      const { outcome, events } = await ran(contender, server, mcpServers, {})
      expect(outcome).toMatchObject({ status: 'completed', report: { finalResponse: 'Done.' } })
      const result = events.find((event) => event.type === 'tool_result' && event.output.includes('HTTP-CANARY'))
      expect(result).toMatchObject({ name: tool, is_error: false })
      expect(tickets.requests.join()).toContain('"tools/call"')
    })
    test('a url where nothing listens fails the run and names the server', async () => {
      await expectFailure({ tickets: { type: 'http', url: 'http://127.0.0.1:1/mcp' } })
    })
    // Copilot does not report it, opencode takes too long
    if (name !== 'copilot' && name !== 'opencode') {
      test('a server that refuses the header fails the run and is named', async () => {
        await using tickets = await startHttpTickets({ answer: 'HTTP-CANARY', token: 'another-token' })
        const headers = { Authorization: 'Bearer wrong' }
        await expectFailure({ tickets: { type: 'http', url: tickets.url, headers } })
      })
    }
    if (agent !== undefined) {
      test('the sub-agent works with its own instructions, and its answer reaches the model', async () => {
        const { outcome, log } = await ran(contender, agent, {}, { reviewer })
        expect(outcome).toMatchObject({ status: 'completed', report: { finalResponse: 'Done.' } })
        expect(log).toContain('AGENT-PROMPT-CANARY')
        expect(log.split('SUB-ANSWER').length).toBeGreaterThan(1)
      })
    }
    test('negative control: without the environment neither is there', async () => {
      const { outcome, log } = await ran(contender, [], {}, {})
      expect(outcome).toMatchObject({ status: 'completed', report: { finalResponse: 'Done.' } })
      expect(log).not.toMatch(/open_tickets|CANARY/)
    })
  })
}
