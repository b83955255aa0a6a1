/** The kinds of exception: a user's mistake (one line, exit 2), what is not to be had for now (exit 3), and everything else (a bug, exit 70). */

/** What a user can mend: what is wrong, where, and how to mend it. Shown without a stack. */
export class UserError extends Error {
  override readonly name = 'UserError'
  readonly fix: string | null
  /** For programs: a word that stays while messages change; null: there is none. */
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

/** The message of anything thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** The errno code of a system error, such as ENOENT; null for anything else. */
export function codeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null
}
