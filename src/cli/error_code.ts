/** Which exit code an error means. */
import { codeOf, UserError } from '../base/error.ts'
import { exitCodes } from './exit.ts'
import { Interrupted } from './interrupt.ts'

/** What the system refuses is no bug of ours: a place that can't be used, or a machine that is short of something. */
const systemCodes: Readonly<Record<string, number>> = {
  EACCES: exitCodes.usage,
  EPERM: exitCodes.usage,
  EROFS: exitCodes.usage,
  ENAMETOOLONG: exitCodes.usage,
  ENOSPC: exitCodes.incomplete,
  EDQUOT: exitCodes.incomplete,
  EMFILE: exitCodes.incomplete,
  ENFILE: exitCodes.incomplete,
}

/** The exit code that an error means. */
export function codeFor(error: unknown): number {
  if (error instanceof Interrupted) return exitCodes.interrupted
  if (error instanceof UserError) return exitCodes.usage
  const system = systemCodes[codeOf(error) ?? '']
  if (system !== undefined) return system
  return error instanceof Error && error.name === 'IncompleteError' ? exitCodes.incomplete : exitCodes.bug
}
