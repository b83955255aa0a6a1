/** Maps errors to exit codes and fixes. */
import { errnoCode, IncompleteError, UserError } from '../base/errors/error.ts'
import { exitCodes } from './exit_codes.ts'
import { InterruptedError } from './terminal/interrupt.ts'

/** System errors that are not bugs: an unusable path, or a resource shortage. */
const systemCodes: Readonly<Record<string, number>> = {
  EACCES: exitCodes.usage,
  EPERM: exitCodes.usage,
  EROFS: exitCodes.usage,
  ENAMETOOLONG: exitCodes.usage,
  EISDIR: exitCodes.usage,
  ENOTDIR: exitCodes.usage,
  ENOSPC: exitCodes.incomplete,
  EDQUOT: exitCodes.incomplete,
  EFBIG: exitCodes.incomplete,
  EIO: exitCodes.incomplete,
  EMFILE: exitCodes.incomplete,
  ENFILE: exitCodes.incomplete,
  EAGAIN: exitCodes.incomplete,
  ENOMEM: exitCodes.incomplete,
}

const elsewhere = 'choose a place that can be written to: --workspace, or TMPDIR for the temporary folder'
const free = 'free some space (df -h); then continue with the same command; what was finished is kept'
const limits = 'this user or machine has reached a limit (ulimit -a): raise it, or lower --concurrency'
const inTheWay = 'a file is in the place of a folder, or a folder in the place of a file: move it away'
const fixes: Readonly<Record<string, string>> = {
  EACCES: elsewhere,
  EPERM: elsewhere,
  EROFS: elsewhere,
  EISDIR: inTheWay,
  ENOTDIR: inTheWay,
  ENOSPC: free,
  EDQUOT: free,
  EFBIG: free,
  EMFILE: limits,
  ENFILE: limits,
  EAGAIN: limits,
  ENOMEM: limits,
}

/** How to fix it; null: not known. */
export function findErrorFix(error: unknown): string | null {
  if (error instanceof Error && 'fix' in error && typeof error.fix === 'string') return error.fix
  return fixes[errnoCode(error) ?? ''] ?? null
}

/** The exit code for an error. */
export function toExitCode(error: unknown): number {
  if (error instanceof InterruptedError) return exitCodes.interrupted
  if (error instanceof UserError) return exitCodes.usage
  const system = systemCodes[errnoCode(error) ?? '']
  if (system !== undefined) return system
  return error instanceof IncompleteError ? exitCodes.incomplete : exitCodes.bug
}
