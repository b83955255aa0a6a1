/** The first contact with what is no queue server: nobody is kept waiting without a word. */
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { IncompleteError, UserError } from '../../../../../src/base/errors/error.ts'
import { openTransport } from '../../../../../src/features/queue/server/open.ts'
import { usualTiming } from '../../../../../src/features/queue/server/transport.ts'
import { parseQueueAddress } from '../queue_address.ts'
import { needsRedis, startRedis } from '../servers.ts'

/** Listens, and says nothing to anybody, unless `meet` does. */
async function silentServer(meet: (socket: Socket) => void = () => {}) {
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket.on('error', () => {}))
    meet(socket)
  })
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

/** What opening with so much patience rejected with; null: with the usual. */
async function refused(url: string, waitMs: number | null): Promise<unknown> {
  const patience = waitMs === null ? undefined : { waitMs, waits: () => {}, signal: new AbortController().signal }
  const opened = openTransport(parseQueueAddress(url), usualTiming, patience)
  return await opened.catch((reason: unknown) => reason)
}

describe.concurrent('at the start', () => {
  test.concurrent('a port where something else closes the connection is no queue server, and is waited for no longer than asked', async () => {
    await using other = await silentServer((socket) => socket.on('data', () => socket.end())) // as PostgreSQL does
    const error = await refused(`redis://127.0.0.1:${other.port}`, 1000)
    expect(error).toBeInstanceOf(IncompleteError)
    expect(error).toMatchObject({
      message: expect.stringContaining(
        'the server closed the connection without an answer (waited for 1 s: --queue-wait)',
      ),
      fix: expect.stringContaining('that it is Redis'),
    })
  })

  test.concurrent('a port where something else answers is told as that', async () => {
    await using web = await silentServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
    const error = await refused(`redis://127.0.0.1:${web.port}`, 1000)
    expect(error).toBeInstanceOf(UserError)
    expect(error).toMatchObject({ message: expect.stringContaining('the server that answers is not Redis') })
  })

  test.concurrent.each(['redis', 'postgres'])(
    'by %s, one try lasts no longer than is waited',
    async (scheme) => {
      await using silent = await silentServer()
      const error = await refused(`${scheme}://127.0.0.1:${silent.port}`, 2000)
      expect(error).toMatchObject({
        message: expect.stringContaining('no answer within 2 s (waited for 2 s: --queue-wait)'),
      })
    },
    30_000,
  )
})

needsRedis('a database', () => {
  test('that the server does not have is refused at once; one that it has is taken', async () => {
    await using server = await startRedis()
    const error = await refused(`${server.url}/99`, 60_000)
    expect(error).toBeInstanceOf(UserError)
    expect(error).toMatchObject({
      message: `--queue ${server.url}/99: the server has no such database`,
      fix: expect.stringContaining('such as /0'),
    })
    await using taken = await openTransport(parseQueueAddress(`${server.url}/3`))
    expect(taken.place).toBe(`${server.url}/3`)
  })
})

describe.concurrent.each([
  ['redis', /does not require encryption \(rediss:/],
  ['rediss', /supports encryption; if it does not, use redis:/], // as a Redis does that takes the beginning of TLS for a line
  ['postgres', /does not require encryption \(sslmode=verify-full/],
])('at the start, by %s', (scheme, fix) => {
  test.concurrent('a server that says nothing is given up after ten seconds, and is one that is away', async () => {
    await using silent = await silentServer()
    const error = await refused(`${scheme}://127.0.0.1:${silent.port}`, null)
    expect(error).toBeInstanceOf(IncompleteError)
    expect(error).toMatchObject({
      message: expect.stringMatching(/no answer within 10 s|timeout/),
      fix: expect.stringMatching(fix),
    })
    expect(silent.met()).toBeGreaterThan(0)
  })

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
    const opened = openTransport(parseQueueAddress(`${scheme}://nowhere.invalid:6379`), usualTiming, patience)
    const error: unknown = await opened.catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(UserError)
    expect(error).toMatchObject({ message: expect.stringContaining('nowhere.invalid') })
    for (const why of waits) expect(why).toContain('EAI_AGAIN')
  })
})
