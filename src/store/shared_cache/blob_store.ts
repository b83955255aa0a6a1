/** Where machines share cached runs: named blobs in a folder or on an HTTP server. Nothing in a blob is trusted before its signature fits. */

/** Names are 64 hexadecimal digits. All that a store returns may come from anybody. `signal`: Ctrl-C. */
export interface BlobStore {
  /** Folder or URL, for messages; contains no secret. */
  readonly place: string
  /** null: not there. Rejects when the store can't be read, does not answer in time, or has something larger than `maxBlobBytes`. */
  get(name: string, signal: AbortSignal): Promise<Buffer | null>
  /** Complete or not at all; replaces an existing blob. Rejects when the store can't be written or does not answer in time. */
  put(name: string, blob: Uint8Array, signal: AbortSignal): Promise<void>
}

/** A larger run is not shared. */
export const maxBlobBytes = 32 * 1024 * 1024
