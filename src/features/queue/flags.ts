/** Flags that send runs to workers, of the commands that start runs, and of `view`, which shows the workers; and what they open. */
import { statSync } from 'node:fs'
import path from 'node:path'
import * as z from 'zod'
import { UserError } from '../../base/errors/error.ts'
import { type Flags, free, power, powerPath, text, whole } from '../../cli/commands/options/flag.ts'
import type { RemoteMachines } from '../../cli/commands/options/remote_flags.ts'
import { isSetByFile } from '../../cli/config/value_origins.ts'
import type { FlowContext } from '../../flows/flow_context.ts'
import type { RemoteExecution } from '../../flows/prepare/remote_execution.ts'
import type { QueueWish } from './coordinator/coordinator_context.ts'
import { type QueueAddress, resolveQueueAddress, withoutLogin } from './server/address.ts'
import { openSigner } from './server/sign.ts'
import { type Transport, usualTiming } from './server/transport.ts'

const server = 'sends runs to other machines'

export const queueFlagsOfServer = {
  queue: {
    ...text,
    section: 'Many machines',
    trust: power(server),
    shown: withoutLogin,
    describe: 'queue server: redis://, rediss:// or postgres://',
  },
  'queue-ca': {
    ...text,
    trust: powerPath('trusts the certificates that this one signs'),
    describe: 'CA certificate (PEM), or WHETSTONE_QUEUE_CA',
  },
  'queue-password-file': {
    ...text,
    trust: powerPath('sends this password to the queue server'),
    describe: 'password file, or WHETSTONE_QUEUE_PASSWORD',
  },
  'queue-wait': {
    ...whole('queue-wait', 0, 86_400),
    defaultDescription: '60',
    trust: free,
    describe: 'seconds to wait for the queue server at startup',
  },
  'key-file': {
    ...text,
    trust: powerPath('reads this key'),
    describe: 'key file that signs jobs, or WHETSTONE_QUEUE_KEY',
  },
  shared: {
    ...text,
    trust: powerPath(server),
    describe: 'a folder that coordinator and workers share',
  },
} satisfies Flags

const runFlags = {
  ...queueFlagsOfServer,
  queue: {
    ...queueFlagsOfServer.queue,
    describe: 'run on workers of this queue server (docs/how-to/many-machines.md)',
  },
  shared: { ...queueFlagsOfServer.shared, describe: `with --queue: ${queueFlagsOfServer.shared.describe}` },
  'in-flight': {
    ...whole('in-flight', 1, 100_000),
    default: 100,
    trust: free,
    describe: 'with --queue: most runs in progress',
  },
  tags: { ...text, trust: power(server), describe: 'with --queue: only workers with all these tags' },
} satisfies Flags

const serverArguments = z.object({
  queue: z.string().optional(),
  queueCa: z.string().optional(),
  queuePasswordFile: z.string().optional(),
})
type ServerArguments = z.infer<typeof serverArguments>

type Environment = Readonly<Record<string, string | undefined>>

/** Seconds. Enough for a server restart; status commands wait less. */
export const usualWait = 60
export const shortWait = 5

/** Throws UserError for anything other than a queue address, and for a password on the command line. */
export function resolveAskedAddress(asked: ServerArguments, env: Environment): QueueAddress | null {
  const { queue = null, queueCa: caFile = null, queuePasswordFile: passwordFile = null } = asked
  const address = resolveQueueAddress({ url: queue, caFile, passwordFile, env })
  if (address !== null && queue !== null && hasPassword(queue) && !isSetByFile('queue')) {
    throw new UserError(
      `--queue ${address.place}: a password on the command line, where every user of this machine can read it`,
      'set WHETSTONE_QUEUE_PASSWORD instead, or use --queue-password-file or the queue of whetstone.config.yaml',
    )
  }
  return address
}

function hasPassword(address: string): boolean {
  return URL.canParse(address) && new URL(address).password !== ''
}

const runArguments = serverArguments.extend({
  queueWait: z.number().optional(),
  keyFile: z.string().optional(),
  shared: z.string().optional(),
  inFlight: z.number(),
  tags: z.string().optional(),
})

/** The requested queue; null: runs execute here. Throws UserError for a queue without a shared folder. */
export function queueWish(asked: z.infer<typeof runArguments>, env: Environment): QueueWish | null {
  const { shared, inFlight, tags, keyFile, queueWait = usualWait } = asked
  // only the command line sends runs to a queue
  const address = asked.queue === undefined ? null : resolveAskedAddress(asked, env)
  if (address === null) {
    const given = { '--shared': shared, '--tags': tags, '--key-file': keyFile, '--queue-ca': asked.queueCa }
    const [spare] = Object.entries(given).filter(([, value]) => value !== undefined)
    if (spare !== undefined)
      throw new UserError(`${spare[0]} without --queue`, 'add --queue with the address of the queue server')
    return null
  }
  const signer = openSigner({ keyFile: keyFile ?? null, env })
  const waitMs = queueWait * 1000
  return { address, shared: sharedFolder(shared), atOnce: inFlight, waitMs, tags: parseList('tags', tags), signer }
}

/** Throws UserError if none is given or it does not exist. */
export function sharedFolder(shared: string | undefined): string {
  if (shared === undefined) {
    throw new UserError('--queue without --shared', 'add --shared with a folder that coordinator and workers share')
  }
  const folder = path.resolve(shared)
  // not created here: without the mount it would exist only on this machine
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new UserError(`--shared ${shared}: no such folder`, 'mount it, or create it: mkdir -p')
  }
  return folder
}

/** The words of a list such as gpu,eu; empty without the flag. Throws UserError for an empty list. */
export function parseList(flag: 'tags' | 'engines', text: string | undefined): string[] {
  const words = (text ?? '').split(',').map((word) => word.trim())
  const named = words.filter((word) => word !== '')
  if (text !== undefined && named.length === 0) {
    const such = { tags: 'gpu,eu', engines: 'anthropic,codex' }[flag]
    throw new UserError(`--${flag} "${text}": empty list`, `use a list such as --${flag} ${such}, or remove it`)
  }
  return named
}

/** How commands that run benchmarks and `view` use a queue. */
export const queueMachines: RemoteMachines = {
  flags: runFlags,
  open(parsed, env) {
    const wish = queueWish(runArguments.parse(parsed), env)
    return wish && executeThroughQueue(wish)
  },
  viewFlags: {
    queue: {
      ...queueFlagsOfServer.queue,
      describe: 'with --serve: also show workers and queues (docs/how-to/many-machines.md)',
    },
    'queue-ca': queueFlagsOfServer['queue-ca'],
    'queue-password-file': queueFlagsOfServer['queue-password-file'],
  },
  watch(parsed, env) {
    const asked = serverArguments.extend({ serve: z.boolean().default(false) }).parse(parsed)
    const address = asked.queue === undefined ? null : resolveAskedAddress(asked, env)
    if (address === null) return null
    if (!asked.serve) throw new UserError('--queue without --serve', 'add --serve')
    return async (context) => (await import('./fleet.ts')).watchQueues(address, context)
  },
}

export function executeThroughQueue(wish: QueueWish): RemoteExecution {
  return {
    async reach(context) {
      await using _reached = await openServer(wish, context)
    },
    async open(work, context) {
      const { openCoordinator } = await import('./coordinator/queue_executor.ts')
      const transport = await openServer(wish, context)
      try {
        return await openCoordinator({ ...work, wish, prices: context.prices }, transport, context)
      } catch (error) {
        await transport[Symbol.asyncDispose]()
        throw error
      }
    },
    withoutWait: () => executeThroughQueue({ ...wish, waitMs: 0 }),
  }
}

async function openServer({ address, waitMs }: QueueWish, context: FlowContext): Promise<Transport> {
  const { openTransport } = await import('./server/open.ts')
  const waits = (message: string) =>
    context.emit({ type: 'queue_awaited', place: address.place, message, wait_ms: waitMs })
  return await openTransport(address, usualTiming, { waitMs, waits, signal: context.drain })
}
