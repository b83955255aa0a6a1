/** file_count: the agent created or changed this many files that match a glob. */
import type { CheckOf } from '../../../../schemas/check.ts'
import type { CheckContext, CheckVerdict } from './inputs/check_input.ts'
import { formatNames } from './inputs/evidence.ts'
import { isInRange, rangeText } from './inputs/range.ts'
import { findWantedOutputs } from './inputs/wanted_files.ts'

/** A file that is too large to be collected still counts. */
export async function decideFileCount(check: CheckOf<'file_count'>, context: CheckContext): Promise<CheckVerdict> {
  const wanted = await findWantedOutputs(check.path, context)
  if ('verdict' in wanted) return wanted.verdict
  const names = [...wanted.names, ...wanted.unseen.map((one) => one.path)]
  const said = `${check.path}: ${names.length} files (${formatNames(names)})`
  if (isInRange(check.count, names.length)) return { passed: true, evidence: said }
  return { passed: false, evidence: `${said}, not ${rangeText(check.count)}` }
}
