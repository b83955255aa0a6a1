/** A complete address of a queue server, without files or environment. */
import { type QueueAddress, resolveQueueAddress } from '../../../../src/features/queue/server/address.ts'

export function parseQueueAddress(url: string): QueueAddress {
  const address = resolveQueueAddress({ url, caFile: null, passwordFile: null, env: {} })
  if (address === null) throw new Error('no address')
  return address
}
