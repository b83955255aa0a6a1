/** Which exit code an error means. */
import { codeOf, IncompleteError, UserError } from '../base/error.ts'
import { exitCodes } from './exit.ts'
import { Interrupted } from './interrupt.ts'

/** What the system refuses is no bug of ours: a place that can't be used, or a machine that is short of something. */
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
const free = 'free some space (df -h); then the same command goes on, and what was finished is kept'
const limits = 'the machine, or this user, may have no more (ulimit -a): allow more, or give a lower --concurrency'
const inTheWay = 'a file lies where a folder is to be, or a folder where a file is to be: move it away'
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

/** How to mend it; null where nobody can say. */
export function fixOf(error: unknown): string | null {
  if (error instanceof Error && 'fix' in error && typeof error.fix === 'string') return error.fix
  return fixes[codeOf(error) ?? ''] ?? null
}

/** The exit code that an error means. */
export function codeFor(error: unknown): number {
  if (error instanceof Interrupted) return exitCodes.interrupted
  if (error instanceof UserError) return exitCodes.usage
  const system = systemCodes[codeOf(error) ?? '']
  if (system !== undefined) return system
  return error instanceof IncompleteError ? exitCodes.incomplete : exitCodes.bug
}
