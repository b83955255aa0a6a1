/** The accounts of this process, each with one limit for all its users. */
import { createHash } from 'node:crypto'
import type { AccountId } from '../../base/rate_limit_slot.ts'
import { Account } from './account_limit.ts'

const accounts = new Map<string, Account>()

/** Returns the same account for the same provider, address and credential. */
export function getAccount({ provider, baseUrl, secret }: AccountId): Account {
  const place = baseUrl.replace(/\/+$/, '')
  const key = [provider, place, createHash('sha256').update(secret).digest('hex')].join('\n')
  const known = accounts.get(key) ?? new Account()
  accounts.set(key, known)
  return known
}
