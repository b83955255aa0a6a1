/** The address of a queue: which server it names, and how it may be shown. */
import { UserError } from '../../base/error.ts'

const kinds = {
  'redis:': 'redis',
  'rediss:': 'redis',
  'postgres:': 'postgres',
  'postgresql:': 'postgres',
} as const

/** Throws UserError for what is no address of a queue. */
export function queueKind(url: string): 'redis' | 'postgres' {
  const { protocol } = parsed(url)
  const known = Object.entries(kinds).find(([name]) => name === protocol)
  if (known === undefined) throw notOne(url)
  return known[1]
}

/** Without user, password and parameters. */
export function placeOf(url: string): string {
  const { protocol, host, pathname } = parsed(url)
  return `${protocol}//${host}${pathname}`
}

function parsed(url: string): URL {
  try {
    return new URL(url)
  } catch {
    throw notOne(url)
  }
}

function notOne(url: string): UserError {
  const shown = url.replace(/\/\/[^@/]*@/, '//***@')
  return new UserError(
    `--queue ${shown}: not the address of a queue`,
    'give redis://host:6379 or postgres://host/database',
  )
}
