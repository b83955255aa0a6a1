/** A suite's MCP server that ends or hangs during a call fails the run; one that answers with an error does not. */
import path from 'node:path'
import { expect, test } from 'vitest'
import { environment } from '../../../schemas/suite.ts'
import { servers } from '../../engines/environment/stage_environment.ts'
import { keysFor, practice } from '../../engines/stage.ts'
import { specOf } from '../../fixtures/run_spec.ts'
import { folderOf } from '../1-plan/folder.ts'
import { performIn } from './surroundings.ts'

async function runWith(mcp_servers: object, timeout_seconds = 60) {
  const call = { name: 'asks', when: { turn: 1 }, tool_calls: [{ name: 'mcp__tickets__open_tickets', input: {} }] }
  await using server = await practice(JSON.stringify({ rules: [call, { name: 'ends', text: 'Done.' }] }))
  const suite = { files: [], hooks: {}, rules: [], agents: [], mcp_servers, agent_texts: {} }
  const spec = specOf({
    engine: { name: 'anthropic', model: 'claude-sonnet-5-5' },
    environment: environment.parse(suite),
    timeout_seconds,
  })
  return await performIn(path.join(folderOf({}), 'run'), spec, {}, keysFor(server))
}

test.each([
  ['that ends during a call', servers.dies, 60, 'tickets ended during a call of mcp__tickets__open_tickets'],
  ['that hangs in a call', servers.hangs, 3, 'tickets did not answer a call of mcp__tickets__open_tickets'],
])('a server %s is the setup of the run, and is named', async (_what, server, seconds, message) => {
  const error = { kind: 'setup', message: expect.stringContaining(message) }
  expect(await runWith(server, seconds)).toMatchObject({ status: 'failed', error })
})

test.each([
  ['answers', servers.works],
  ['answers with an error', servers.refuses],
])('control: a server that %s', async (_what, server) => {
  expect(await runWith(server)).toMatchObject({ status: 'completed', final_response: 'Done.' })
})
