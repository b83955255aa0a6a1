/** What is written to Redis in one turn of the loop goes out together, whole and in order. */
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { AbstractConnector } from 'ioredis'
import { expect, onTestFinished, test } from 'vitest'
import { gatheredConnector } from '../../../src/jobs/queue/gathered_connector.ts'

async function connected() {
  const heard: string[] = []
  const server = createServer((socket) => socket.on('data', (data) => heard.push(String(data)))).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const Connector = gatheredConnector(AbstractConnector, { host: '127.0.0.1', port: address.port })
  const connector = new Connector({})
  onTestFinished(() => void server.close())
  return { connector, heard }
}

const bytesOut = (stream: Socket) => stream.bytesWritten - stream.writableLength

test('writes of one turn are held until it is over, and arrive as they were written', async () => {
  const { connector, heard } = await connected()
  const stream = await connector.connect(() => {})
  await once(stream, 'connect')
  for (const word of ['one ', Buffer.from('two '), 'three ']) stream.write(word)
  expect(bytesOut(stream)).toBe(0)
  await turn()
  stream.write('four')
  await expect.poll(() => heard.join('')).toBe('one two three four')
  expect(heard[0]).toContain('one two three ')
  connector.disconnect()
  await once(stream, 'close')
})

test('one that was told to disconnect before it began does not', async () => {
  const { connector } = await connected()
  const connecting = connector.connect(() => {})
  connector.disconnect()
  await expect(connecting).rejects.toThrow('Connection is closed.')
})

test('why there was no connection is kept for who asks', async () => {
  const Connector = gatheredConnector(AbstractConnector, { host: '127.0.0.1', port: 1 })
  const connector = new Connector({})
  const stream = await connector.connect(() => {})
  await once(stream, 'close').catch(() => {}) // rejects with the error
  expect(connector.firstError?.message).toContain('ECONNREFUSED')
})
