/** Describes a queue server that refuses a connection or does not answer: a short message and a fix. */
import { errnoCode, errorMessage } from '../../../base/errors/error.ts'

export interface RefusalText {
  said: string
  fix: string
}

const asksPassword: RefusalText = {
  said: 'the server requires a password',
  fix: 'pass it with --queue-password-file or WHETSTONE_QUEUE_PASSWORD, and its user with WHETSTONE_QUEUE_USER',
}

/** By code and message of node:tls, ioredis and pg; the first match counts. Without `said`: the server's own message. */
const refusals: readonly { fits: RegExp; said?: string; fix: string }[] = [
  {
    fits: /ERR_TLS_CERT_ALTNAME_INVALID/,
    fix: 'use the host name in its certificate; ?sslmode=verify-ca checks only the authority',
  },
  {
    fits: /CERT_HAS_EXPIRED|CERT_NOT_YET_VALID/,
    fix: 'check the clock; if it is right, the server needs a new certificate',
  },
  {
    fits: /SELF_SIGNED|UNABLE_TO_|CERT_/,
    fix: 'pass the certificate of its certificate authority as a PEM file: --queue-ca or WHETSTONE_QUEUE_CA',
  },
  { fits: /NOAUTH |client password must be a string/, ...asksPassword },
  { fits: /no PostgreSQL user name/, said: 'the server requires a user', fix: 'pass it with WHETSTONE_QUEUE_USER' },
  {
    fits: /WRONGPASS |28P01/,
    fix: 'check the user (WHETSTONE_QUEUE_USER) and the password (--queue-password-file, WHETSTONE_QUEUE_PASSWORD)',
  },
  {
    fits: /Unknown RESP type|Protocol error/,
    said: 'the server that answers is not Redis',
    fix: 'check host and port',
  },
  {
    fits: /DB index is out of range|SELECT is not allowed/,
    said: 'the server has no such database',
    fix: 'use a database that it has, such as /0 (by default Redis has 0 to 15; a cluster has only 0)',
  },
  { fits: /does not support SSL/, fix: 'the server does not support encryption: leave out sslmode and --queue-ca' },
  {
    fits: /no encryption/,
    fix: 'encrypt the connection: ?sslmode=verify-full, with --queue-ca if you have your own certificate authority',
  },
]

export function describeRefusal(error: unknown): RefusalText {
  const said = refusalWords(error)
  const found = refusals.find(({ fits }) => fits.test(`${errnoCode(error) ?? ''} ${said}`))
  return { said: found?.said ?? said, fix: found?.fix ?? 'check address, user and password' }
}

/** What to check when an address does not answer. */
export function unreachableFix(place: string): string {
  const kind = /^rediss?:/.test(place) ? 'Redis' : 'PostgreSQL'
  const usual = `check that the server is running, that it is ${kind}, and that it`
  if (place.startsWith('rediss:')) return `${usual} supports encryption; if it does not, use redis://`
  return `${usual} does not require encryption (${place.startsWith('redis:') ? 'rediss://' : 'sslmode=verify-full'})`
}

/** The message of any error from connecting. */
export function refusalWords(error: unknown): string {
  return errorMessage(error) || errnoCode(error) || 'no connection'
}
