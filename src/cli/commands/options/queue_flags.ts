/** Flags that send runs to workers, shared by the commands that start runs. */
import { statSync } from 'node:fs'
import path from 'node:path'
import { UserError } from '../../../base/errors/error.ts'
import type { QueueWish } from '../../../flows/prepare/queue_options.ts'
import { type QueueAddress, resolveQueueAddress } from '../../../jobs/queue/address.ts'
import { openSigner } from '../../../jobs/queue/sign.ts'
import { isSetByFile } from '../../config/value_origins.ts'
import { type Flags, free, power, powerPath, text, whole } from './flag.ts'

const server = 'sends runs to other machines'

export const queueFlagsOfServer = {
  queue: {
    ...text,
    section: 'Queue',
    trust: power(server),
    describe: 'queue server: redis://, rediss:// or postgres://',
  },
  'queue-ca': {
    ...text,
    section: 'Queue',
    trust: powerPath('trusts the certificates that this one signs'),
    describe: 'CA certificate (PEM), or WHETSTONE_QUEUE_CA',
  },
  'queue-password-file': {
    ...text,
    section: 'Queue',
    trust: powerPath('sends this password to the queue server'),
    describe: 'password file, or WHETSTONE_QUEUE_PASSWORD',
  },
  'queue-wait': {
    ...whole('queue-wait', 0, 86_400),
    defaultDescription: '60',
    section: 'Queue',
    trust: free,
    describe: 'seconds to wait for the queue server at startup',
  },
  'key-file': {
    ...text,
    section: 'Queue',
    trust: powerPath('reads this key'),
    describe: 'key file that signs jobs, or WHETSTONE_QUEUE_KEY',
  },
  shared: {
    ...text,
    section: 'Queue',
    trust: powerPath(server),
    describe: 'a folder that coordinator and workers share',
  },
} satisfies Flags

export const queueFlags = {
  ...queueFlagsOfServer,
  queue: {
    ...queueFlagsOfServer.queue,
    describe: 'run on workers of this queue server (docs/how-to/many-machines.md)',
  },
  shared: { ...queueFlagsOfServer.shared, describe: `with --queue: ${queueFlagsOfServer.shared.describe}` },
  'in-flight': {
    ...whole('in-flight', 1, 100_000),
    default: 100,
    section: 'Queue',
    trust: free,
    describe: 'with --queue: most runs in progress',
  },
  tags: { ...text, section: 'Queue', trust: power(server), describe: 'with --queue: only workers with all these tags' },
} satisfies Flags

interface ServerArguments {
  queue?: string | undefined
  queueCa?: string | undefined
  queuePasswordFile?: string | undefined
}

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

interface QueueArguments extends ServerArguments {
  queueWait?: number | undefined
  keyFile?: string | undefined
  shared?: string | undefined
  inFlight: number
  tags?: string | undefined
}

/** The requested queue; null: runs execute here. Throws UserError for a queue without a shared folder. */
export function queueWish(asked: QueueArguments, env: Environment): QueueWish | null {
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
