/** Certificates, addresses and refusals for tests of servers with encryption and passwords. */
import { mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'vitest'
import { UserError } from '../../../../../src/base/errors/error.ts'
import { resolveQueueAddress } from '../../../../../src/features/queue/server/address.ts'
import { openTransport } from '../../../../../src/features/queue/server/open.ts'
import { usualTiming } from '../../../../../src/features/queue/server/transport.ts'
import { type Certificates, makeCertificates } from '../../../../fixtures/certificates.ts'
import type { QueueServer } from '../servers.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'connection-'))
const made = (name: string, host?: string): Certificates => {
  mkdirSync(path.join(folder, name))
  return makeCertificates(path.join(folder, name), host)
}
export const certificates = made('own')
export const foreign = made('foreign')
export const misnamed = made('misnamed', 'elsewhere')
export const secret = 'p@ss/w:rd'

export function at(server: QueueServer, more: { ca?: string; password?: string; user?: string; query?: string }) {
  const address = resolveQueueAddress({
    url: `${server.url}${more.query ?? ''}`,
    caFile: more.ca ?? null,
    passwordFile: null,
    env: { WHETSTONE_QUEUE_USER: more.user ?? 'whetstone', WHETSTONE_QUEUE_PASSWORD: more.password ?? secret },
  })
  if (address === null) throw new Error('no address')
  return address
}

/** What a command that would wait for the server is told, with the fix; nothing is waited for. */
export async function refusal(address: ReturnType<typeof at>): Promise<string> {
  const waited: string[] = []
  const patience = {
    waitMs: 600_000,
    waits: (why: string) => void waited.push(why),
    signal: new AbortController().signal,
  }
  const error: unknown = await openTransport(address, usualTiming, patience).catch((caught) => caught)
  expect([error instanceof UserError, waited]).toEqual([true, []])
  return error instanceof UserError ? `${error.message}\n${error.fix}` : ''
}
