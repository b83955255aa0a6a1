/** Signs jobs: without the key, write access to the queue can't make a worker run anything. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { canonicalJson } from '../../../base/json/json.ts'
import { readSigningKey } from '../../../base/secrets/signing_key.ts'

/** Keeps signatures of other things with the same key from fitting a job. */
const purpose = 'whetstone job v1\n'
const form = /^hmac-sha256:([0-9a-f]{64})$/

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

/** The signer with the key from the file, else from the environment; null: no key. Throws UserError for an unusable key. */
export function openSigner({ keyFile, env }: KeyRequest): Signer | null {
  const key = readSigningKey({ flag: '--key-file', file: keyFile, variable: 'WHETSTONE_QUEUE_KEY', env })
  return key && createSigner(key)
}

export interface Signer {
  /** Signs the job as it goes through the queue, without its signature. */
  sign(job: object): string
  verify(job: object, signature: string | null): boolean
}
