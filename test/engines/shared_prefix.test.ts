/** What tasks share at their beginning is marked for the server's cache, and the words stay the same. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { anthropic } from '../../src/engines/anthropic/anthropic.ts'

const request = z.object({
  messages: z.array(
    z.object({ content: z.array(z.object({ text: z.string(), cache_control: z.looseObject({}).optional() })) }),
  ),
})

/** The blocks of the first message that the server got. */
async function sent(prompt: string, sharedPrefix?: number) {
  const bodies: string[] = []
  const server = createServer((asked, answer) => {
    let body = ''
    asked.on('data', (part) => {
      body += part
    })
    asked.on('end', () => {
      bodies.push(body)
      answer.writeHead(400, { 'content-type': 'application/json' }).end('{"type":"error","error":{"message":"no"}}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const credentials = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}` }
  const task = { prompt, model: null, command: null, cwd: tmpdir(), env: {}, credentials, skills: [], maxTurns: 1 }
  const rest = { tools: 'none' as const, answerSchema: null, sessionId: crypto.randomUUID(), sandbox: null }
  const context = { signal: new AbortController().signal, emit: () => {}, stderrFile: null }
  await anthropic.run({ ...task, ...rest, ...(sharedPrefix !== undefined && { sharedPrefix }) }, context)
  server.close()
  return request.parse(JSON.parse(bodies[0] ?? '')).messages[0]?.content
}

test('the shared part is a block of its own that may be cached, and so is the end', async () => {
  const blocks = await sent('the rules, then the run', 10)
  expect(blocks?.map(({ text }) => text)).toEqual(['the rules,', ' then the run'])
  expect(blocks?.map((block) => block.cache_control)).toEqual([{ type: 'ephemeral' }, { type: 'ephemeral' }])
})

test.each([undefined, 0, 99])('a prompt of which %s characters are shared is one block', async (shared) => {
  expect((await sent('the rules, then the run', shared))?.map(({ text }) => text)).toEqual(['the rules, then the run'])
})
