/** Signs what this user's runs leave on disk, in a file next to each: results without this user's signature are somebody else's. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type * as z from 'zod'
import { attempt } from '../../base/errors/attempt.ts'
import { errnoCode, UserError } from '../../base/errors/error.ts'
import { tempSiblingName, writeAllAtomic } from '../../base/fs/durable_files.ts'
import { readRegularFile } from '../../base/fs/special_files.ts'
import { type StateEnv, stateFolder } from '../../base/fs/state_folder.ts'
import { checkAs, sha256 } from '../../base/json/json.ts'
import { jsonText } from '../../base/json/json_text.ts'

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

export function signaturePath(file: string): string {
  return `${file}.hmac`
}

interface SignedFile {
  /** Absolute. */
  file: string
  /** What it is besides its file name; absent: nothing. */
  as?: SignedAs | undefined
}

export async function writeSigned<S extends z.ZodType>(
  schema: S,
  { file, as }: SignedFile,
  { value, signer }: { value: z.infer<S>; signer: ResultSigner },
): Promise<void> {
  const text = `${jsonText(checkAs(schema, value, file), 2)}\n`
  await writeAllAtomic(path.dirname(file), listSignedParts({ file, as }, text, signer))
}

/**
 * The signature and the file, [name, text], in the order in which they must appear. The signature of the present content stays until the
 * new content is there, so that a killed process leaves a signed file.
 */
export function listSignedParts({ file, as = [] }: SignedFile, text: string, signer: ResultSigner): [string, string][] {
  const name = path.basename(file)
  const present = findSignature({ file, as }, signer)
  const lines = [signer.sign([name, ...as], sha256(text)), ...(present === null ? [] : [present])]
  return [
    [signaturePath(name), `${lines.join('\n')}\n`],
    [name, text],
  ]
}

export function isSignedFile(file: string, signer: ResultSigner, as: SignedAs = []): boolean {
  return findSignature({ file, as }, signer) !== null
}

function findSignature({ file, as = [] }: SignedFile, signer: ResultSigner): string | null {
  const [content, signatures] = [tryRead(file), tryRead(signaturePath(file))]
  if (content === null || signatures === null) return null
  const hash = sha256(content)
  const lines = signatures.toString('latin1').trim().split('\n')
  return lines.find((one) => signer.isSigned([path.basename(file), ...as], hash, one)) ?? null
}

/** Removes a file that this user did not sign as it is; returns whether there was one. */
export function removeUnsigned(file: string, signer: ResultSigner, as: SignedAs = []): boolean {
  if (tryRead(file) === null || isSignedFile(file, signer, as)) return false
  rmSync(file, { force: true })
  return true
}

/** null: missing, or not a readable file. */
export function tryRead(file: string): Buffer | null {
  return attempt(() => readRegularFile(file), null)
}
