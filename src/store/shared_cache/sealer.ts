/** Signs what is shared: without the key, write access to the shared cache can't change, rename or add a usable entry. */
import { sha256 } from '../../base/json/json.ts'
import { createResultSigner } from '../signing/signer.ts'
import type { BlobStore } from './blob_store.ts'

export type BlobKind = 'run' | 'grading'

/** Which entry a blob is. */
interface BlobId {
  kind: BlobKind
  /** 64 hexadecimal digits. */
  name: string
  /** Version of the cache's format: an entry of another one does not fit. */
  format: number
}

export interface Sealer {
  seal(id: BlobId, content: Uint8Array): Buffer
  /** The content; null: not sealed with this key as this entry, or changed. */
  open(id: BlobId, blob: Buffer): Buffer | null
}

/** A place that machines share, and the signatures that its entries must have. */
export interface SharedCacheWish {
  blobs: BlobStore
  sealer: Sealer
}

const first = 'whetstone shared cache v1'
const form = /^whetstone shared cache v1 hmac-sha256:([0-9a-f]{64})\n$/
const headerLength = first.length + ' hmac-sha256:'.length + 64 + 1

/** HMAC-SHA256 over what the entry is and the sha256 of its content. The closure keeps the key out of every request and record. */
export function createSealer(key: Uint8Array): Sealer {
  const signer = createResultSigner(() => Buffer.from(key))
  const as = ({ kind, name, format }: BlobId) => [first, format, kind, name]
  return {
    seal: (id, content) =>
      Buffer.concat([Buffer.from(`${first} hmac-sha256:${signer.sign(as(id), sha256(content))}\n`), content]),
    open(id, blob) {
      const hex = form.exec(blob.toString('latin1', 0, headerLength))?.[1]
      const content = blob.subarray(headerLength)
      return hex !== undefined && signer.isSigned(as(id), sha256(content), hex) ? content : null
    },
  }
}
