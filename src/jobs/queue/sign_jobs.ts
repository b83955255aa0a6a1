/** Interface for signatures of jobs: the submitter signs, the worker verifies. */
export interface Signer {
  /** Signs the job as it goes through the queue, without its signature. */
  sign(job: object): string
  verify(job: object, signature: string | null): boolean
}
