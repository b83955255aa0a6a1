/** Signs what this user's runs leave on disk: results without this user's signature are somebody else's. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { errnoCode, UserError } from '../../base/errors/error.ts'
import { readRegularFile } from '../../base/fs/special_files.ts'
import { type StateEnv, stateFolder } from '../../base/fs/state_folder.ts'
import { tempSiblingName } from '../../base/fs/temp_sibling.ts'
import { sha256 } from '../../base/json/json.ts'

/** What a content is, so that its signature counts for nothing else: its kind, then its names. */
export type SignedAs = readonly (string | number)[]

export interface ResultSigner {
  /** HMAC-SHA256, 64 hexadecimal digits, over what it is and the sha256 of its content. */
  sign(as: SignedAs, contentSha256: string): string
  isSigned(as: SignedAs, contentSha256: string, hmac: string): boolean
}

const hmacForm = /^[0-9a-f]{64}$/

/** `readKey`: with true it must return a key; with false, null if there is none yet. */
export function createResultSigner(readKey: (isNeeded: boolean) => Buffer | null): ResultSigner {
  const digest = (key: Buffer, as: SignedAs, contentSha256: string) =>
    createHmac('sha256', key)
      .update([...as, contentSha256].join('\n'))
      .digest()
  return {
    sign: (as, contentSha256) => digest(readKey(true) ?? Buffer.alloc(0), as, contentSha256).toString('hex'),
    isSigned(as, contentSha256, hmac) {
      const key = readKey(false)
      if (key === null || !hmacForm.test(hmac)) return false
      return timingSafeEqual(Buffer.from(hmac, 'hex'), digest(key, as, contentSha256))
    },
  }
}

const variable = 'WHETSTONE_SIGNING_KEY'
const leastCharacters = 16
const signers = new Map<string, ResultSigner>()

/**
 * The signer under the user's key: from WHETSTONE_SIGNING_KEY, else from the state folder, where the first signature creates it. Without
 * a writable state folder the key ends with this process, so nothing from disk counts. Throws UserError for a variable that is too short.
 */
export function findSigner(env: StateEnv): ResultSigner {
  const given = env[variable]?.trim() ?? ''
  const state = stateFolder(env)
  const name = given === '' ? `folder ${state}` : `text ${sha256(given)}`
  const known = signers.get(name)
  if (known !== undefined) return known
  if (given !== '' && given.length < leastCharacters) {
    throw new UserError(`${variable}: ${given.length} characters`, `use ${leastCharacters} or more random ones`)
  }
  let key: Buffer | null = given === '' ? null : Buffer.from(given)
  const made = createResultSigner((isNeeded) => {
    key ??= (state === null ? null : readStoredKey(state, isNeeded)) ?? (isNeeded ? randomBytes(32) : null)
    return key
  })
  signers.set(name, made)
  return made
}

/** null: there is none, or it can't be read or created. */
function readStoredKey(state: string, isNeeded: boolean): Buffer | null {
  const file = path.join(state, 'signing_key')
  try {
    if (isNeeded) createKey(file)
    const text = readRegularFile(file).toString('utf8').trim()
    return hmacForm.test(text) ? Buffer.from(text) : null
  } catch {
    return null
  }
}

/** Writes a complete file and links it to its name: of two processes at once, one does, and both read the same key. */
function createKey(file: string): void {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  const temporary = tempSiblingName(file)
  try {
    writeFileSync(temporary, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flag: 'wx' })
    linkSync(temporary, file)
  } catch (error) {
    if (errnoCode(error) !== 'EEXIST') throw error
  } finally {
    rmSync(temporary, { force: true })
  }
}
