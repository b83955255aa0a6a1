/** Signs jobs: without the key, write access to the queue can't make a worker run anything. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { errorMessage, UserError } from '../../base/errors/error.ts'
import { canonicalJson } from '../../base/json/json.ts'
import type { Signer } from './sign_jobs.ts'

/** Keeps signatures of other things with the same key from fitting a job. */
const purpose = 'whetstone job v1\n'
const form = /^hmac-sha256:([0-9a-f]{64})$/
const leastBytes = 32

/** HMAC-SHA256 over the canonical JSON of the whole job, so that no part can be changed or reused for another benchmark. */
export function createSigner(key: Uint8Array): Signer {
  const macOf = (job: object) => createHmac('sha256', key).update(purpose).update(canonicalJson(job)).digest()
  return {
    sign: (job) => `hmac-sha256:${macOf(job).toString('hex')}`,
    verify(job, signature) {
      const hex = form.exec(signature ?? '')?.[1]
      return hex !== undefined && timingSafeEqual(Buffer.from(hex, 'hex'), macOf(job))
    },
  }
}

export interface KeyRequest {
  /** From --key-file; null: not given. */
  keyFile: string | null
  env: Readonly<Record<string, string | undefined>>
}

const keyVariable = 'WHETSTONE_QUEUE_KEY'

/** The signer with the key from the file, else from the environment; null: no key. Throws UserError for an unusable key. */
export function openSigner({ keyFile, env }: KeyRequest): Signer | null {
  const given = env[keyVariable]?.trim() ?? ''
  if (keyFile === null) return given === '' ? null : createSigner(checkKeyLength(given, keyVariable))
  if (!existsSync(keyFile)) throw new UserError(`--key-file ${keyFile}: no such file`, makeOne(keyFile))
  return createSigner(checkKeyLength(readKeyFile(keyFile).trim(), `--key-file ${keyFile}`))
}

function readKeyFile(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new UserError(`--key-file ${file}: ${errorMessage(error)}`)
  }
}

function checkKeyLength(key: string, where: string): Uint8Array {
  const bytes = Buffer.from(key)
  if (bytes.length >= leastBytes) return bytes
  throw new UserError(
    `${where}: a key of ${bytes.length} bytes is too short (at least ${leastBytes})`,
    makeOne('queue.key'),
  )
}

function makeOne(file: string): string {
  return `create one with: openssl rand -hex 32 > ${file}`
}
