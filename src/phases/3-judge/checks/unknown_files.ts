/** Says why a check on files can't be decided for a recorded session whose files are not known. */
import type { Check, CheckType } from '../../../../schemas/check.ts'
import { type CheckContext, isContentUnknown } from './inputs/check_input.ts'

const fileChecks: ReadonlySet<CheckType> = new Set([
  'file_exists',
  'file_absent',
  'file_count',
  'file_hash',
  'file_modified',
  'file_size',
  'command',
  'script',
  'javascript',
  'verifier',
] satisfies CheckType[])

/** null: the check reads no file, or the files are known. */
export function explainUnknownFiles(check: Check, { record, leftOut }: CheckContext): string | null {
  if (record.observed !== true) return null
  const whole = leftOut.find((one) => one.path === '.' && isContentUnknown(one))
  if (whole === undefined) return null
  const readsFiles = fileChecks.has(check.type) || ('path' in check && check.path !== undefined)
  return readsFiles ? whole.reason : null
}
