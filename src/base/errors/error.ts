/** The kinds of exception: a user's mistake (one line, exit 2), work that can't be done yet (exit 3), and any other (a bug, exit 70). */

/** A mistake that the user can fix: what is wrong, where, and how to fix it. Shown without a stack. */
export class UserError extends Error {
  override readonly name = 'UserError'
  readonly fix: string | null
  /** For programs: a word that stays the same when messages change; null: none. */
  readonly code: string | null

  constructor(message: string, fix: string | null = null, code: string | null = null) {
    super(message)
    this.fix = fix
    this.code = code
  }
}

/** The work could not be done for a reason outside the user's input (a server that can't be reached): exit 3. */
export class IncompleteError extends Error {
  override readonly name = 'IncompleteError'
  readonly fix: string | null

  constructor(message: string, fix: string | null = null) {
    super(message)
    this.fix = fix
  }
}

/** Waiting for others took too long without progress: exit 3, and the same command continues. */
export class WaitOverError extends IncompleteError {
  /** What the command waited for, without what is missing. */
  readonly why: string

  constructor(why: string, missing: string) {
    super(missing === '' ? why : `${why}; ${missing}`, 'what was finished is kept; continue with the same command')
    this.why = why
  }
}

/** The message of any thrown value. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** The errno code of a system error, such as ENOENT; null for anything else. */
export function errnoCode(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null
}
