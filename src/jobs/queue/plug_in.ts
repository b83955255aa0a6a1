/** Signatures of jobs: made by who submits them, asked for by who performs them. */
export interface Signer {
  /** Of the job as it goes through the queue, without its signature. */
  sign(job: object): string
  verify(job: object, signature: string | null): boolean
}
