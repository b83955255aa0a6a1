/** The flags that send runs to workers, shared by the commands that start runs. */
import path from 'node:path'
import type { Options } from 'yargs'
import { UserError } from '../../base/error.ts'
import type { QueueWish } from '../../flows/queue/remote.ts'
import { wholeNumber } from './shared.ts'

export const queueAddress = {
  queue: {
    type: 'string',
    requiresArg: true,
    describe: 'the queue server: redis://host:6379, rediss://… or postgres://host/database (docs/queue.md)',
  },
  shared: { type: 'string', requiresArg: true, describe: 'a folder that the coordinator and all workers see' },
} satisfies Record<string, Options>

export const queueFlags = {
  queue: { ...queueAddress.queue, describe: `runs are made by workers (queue work) of ${queueAddress.queue.describe}` },
  shared: { ...queueAddress.shared, describe: `with --queue: ${queueAddress.shared.describe}` },
  'in-flight': {
    type: 'number',
    requiresArg: true,
    default: 100,
    coerce: wholeNumber('in-flight', 1, 100_000),
    describe: 'with --queue: runs that are out at once; --concurrency is of gradings then',
  },
  tags: {
    type: 'string',
    requiresArg: true,
    describe: 'with --queue: only workers with all of these tags, such as gpu,eu',
  },
} satisfies Record<string, Options>

interface QueueArguments {
  queue?: string | undefined
  shared?: string | undefined
  inFlight: number
  tags?: string | undefined
}

/** What those flags ask; null: runs are made here. Throws UserError for a queue without a shared folder. */
export function queueWish({ queue, shared, inFlight, tags }: QueueArguments): QueueWish | null {
  if (queue === undefined) {
    const [spare] = Object.entries({ '--shared': shared, '--tags': tags }).filter(([, value]) => value !== undefined)
    if (spare !== undefined) throw new UserError(`${spare[0]} without --queue`, 'name the queue server with --queue')
    return null
  }
  return { url: queue, shared: sharedFolder(shared), atOnce: inFlight, tags: listOf(tags), signer: null }
}

/** Throws UserError where none is given. */
export function sharedFolder(shared: string | undefined): string {
  if (shared === undefined) {
    throw new UserError('--queue without --shared', 'name a folder that the coordinator and all workers see')
  }
  return path.resolve(shared)
}

/** The words of a list such as gpu,eu. */
export function listOf(text: string | undefined): string[] {
  const words = (text ?? '').split(',').map((word) => word.trim())
  return words.filter((word) => word !== '')
}
