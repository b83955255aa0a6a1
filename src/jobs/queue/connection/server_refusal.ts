/** Describes a queue server that refuses a connection or does not answer: a short message and a fix. */
import { errnoCode, errorMessage } from '../../../base/errors/error.ts'

export interface RefusalText {
  said: string
  fix: string
}

const asksPassword: RefusalText = {
  said: 'the server asks for a password',
  fix: 'give it by --queue-password-file or WHETSTONE_QUEUE_PASSWORD, and its user by WHETSTONE_QUEUE_USER',
}

/** By code and message of node:tls, ioredis and pg; the first match counts. Without `said`: the server's own message. */
const refusals: readonly { fits: RegExp; said?: string; fix: string }[] = [
  {
    fits: /ERR_TLS_CERT_ALTNAME_INVALID/,
    fix: 'give the host by the name that is in its certificate; ?sslmode=verify-ca checks the authority alone',
  },
  { fits: /CERT_HAS_EXPIRED|CERT_NOT_YET_VALID/, fix: 'is the clock right? Else the server needs another certificate' },
  {
    fits: /SELF_SIGNED|UNABLE_TO_|CERT_/,
    fix: 'name the authority that vouches for the server: --queue-ca or WHETSTONE_QUEUE_CA, a file with its certificate as PEM',
  },
  { fits: /NOAUTH |client password must be a string/, ...asksPassword },
  { fits: /no PostgreSQL user name/, said: 'the server asks for a user', fix: 'name it by WHETSTONE_QUEUE_USER' },
  {
    fits: /WRONGPASS |28P01/,
    fix: 'are the user (WHETSTONE_QUEUE_USER) and the password (--queue-password-file, WHETSTONE_QUEUE_PASSWORD) right?',
  },
  { fits: /Unknown RESP type|Protocol error/, said: 'what answers there is no Redis', fix: 'are host and port right?' },
  {
    fits: /DB index is out of range|SELECT is not allowed/,
    said: 'the server has no such database',
    fix: 'give one that it has, such as /0 (a Redis has 16, from 0, if it is not told otherwise; a cluster has 0 alone)',
  },
  { fits: /does not support SSL/, fix: 'it speaks no encryption: leave out sslmode and --queue-ca' },
  { fits: /no encryption/, fix: 'encrypt it: ?sslmode=verify-full, with --queue-ca where the authority is your own' },
]

export function describeRefusal(error: unknown): RefusalText {
  const said = refusalWords(error)
  const found = refusals.find(({ fits }) => fits.test(`${errnoCode(error) ?? ''} ${said}`))
  return { said: found?.said ?? said, fix: found?.fix ?? 'are address, user and password right?' }
}

/** What to check when an address does not answer. */
export function unreachableFix(place: string): string {
  const kind = /^rediss?:/.test(place) ? 'Redis' : 'PostgreSQL'
  const usual = `is the server running, is it ${kind} that listens there, and does it`
  if (place.startsWith('rediss:')) return `${usual} speak encryption? Where it speaks none: redis://`
  return `${usual} ask for encryption (${place.startsWith('redis:') ? 'rediss://' : 'sslmode=verify-full'})?`
}

/** The message of any error from connecting. */
export function refusalWords(error: unknown): string {
  return errorMessage(error) || errnoCode(error) || 'no connection'
}
