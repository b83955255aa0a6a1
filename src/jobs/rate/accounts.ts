/** The accounts of this process, each with one limit whoever uses it. */
import { createHash } from 'node:crypto'
import type { AccountId } from '../../base/slot.ts'
import { Account } from './account.ts'

const accounts = new Map<string, Account>()

/** The account; the same one for the same provider, address and credential. */
export function accountOf({ provider, baseUrl, secret }: AccountId): Account {
  const place = baseUrl.replace(/\/+$/, '')
  const key = [provider, place, createHash('sha256').update(secret).digest('hex')].join('\n')
  const known = accounts.get(key) ?? new Account()
  accounts.set(key, known)
  return known
}
