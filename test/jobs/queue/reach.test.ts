/** The first contact with what is no queue server: nobody is kept waiting without a word. */
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { IncompleteError, UserError } from '../../../src/base/error.ts'
import { addressOf } from '../../../src/jobs/queue/address.ts'
import { openTransport } from '../../../src/jobs/queue/open.ts'
import { usualTiming } from '../../../src/jobs/queue/transport.ts'

/** Listens, and says nothing to anybody. */
async function silentServer() {
  const open = new Set<Socket>()
  const server = createServer((socket) => void open.add(socket.on('error', () => {})))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const at = server.address()
  return {
    port: typeof at === 'object' && at !== null ? at.port : 0,
    met: () => open.size,
    async [Symbol.asyncDispose]() {
      for (const one of open) one.destroy()
      server.close()
    },
  }
}

describe.concurrent.each([
  ['redis', /ask for encryption \(rediss:/],
  ['rediss', /speak encryption\? Where it speaks none: redis:/], // as a Redis does that takes the beginning of TLS for a line
  ['postgres', /ask for encryption \(sslmode=verify-full/],
])('at the start, by %s', (scheme, fix) => {
  test.concurrent('a server that says nothing is given up after ten seconds, and is one that is away', async () => {
    await using silent = await silentServer()
    const opened = openTransport(addressOf(`${scheme}://127.0.0.1:${silent.port}`), usualTiming)
    const error: unknown = await opened.catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(IncompleteError)
    expect(error).toMatchObject({
      message: expect.stringMatching(/no answer within 10 s|timeout/),
      fix: expect.stringMatching(fix),
    })
    expect(silent.met()).toBeGreaterThan(0)
  }, 30_000)

  test.concurrent('a host whose name is not looked up is said, and no bug of ours', async () => {
    const waits: string[] = []
    const left = new AbortController()
    const patience = {
      waitMs: 600_000,
      waits: (why: string) => {
        waits.push(why)
        left.abort(new UserError(`waits: ${why}`)) // a resolver that is away itself is waited for
      },
      signal: left.signal,
    }
    const opened = openTransport(addressOf(`${scheme}://nowhere.invalid:6379`), usualTiming, patience)
    const error: unknown = await opened.catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(UserError)
    expect(error).toMatchObject({ message: expect.stringContaining('nowhere.invalid') })
    for (const why of waits) expect(why).toContain('EAI_AGAIN')
  }, 30_000)
})
