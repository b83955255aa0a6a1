/** What the user asks clean to remove. */

/** Which folders of a kind; both null: all. */
export interface CleanAge {
  /** Milliseconds since the start. */
  olderThanMs: number | null
  /** So many newest ones of each kind and skill stay, whatever their age. */
  keepLast: number | null
}

export interface CleanRequest {
  /** Workspaces, folders of workspaces, or benchmarks: without filters, a benchmark that is named here is chosen. */
  places: readonly string[]
  /** Remove whole benchmarks and the like; null: none. */
  folders: CleanAge | null
  /** Remove only transcripts and outputs; null: none. */
  transcripts: CleanAge | null
  /** Remove cached runs and judges' answers that were not used for so long (null: any); null: none. */
  cache: Pick<CleanAge, 'olderThanMs'> | null
  /** Remove what processes that are gone left behind. */
  temp: boolean
}
