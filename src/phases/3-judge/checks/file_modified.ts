/** file_modified: the agent changed a file that existed before. */
import type { CheckOf } from '../../../../schemas/check.ts'
import type { CheckContext, CheckVerdict } from './inputs/check_input.ts'
import { failUnreadable, formatNames } from './inputs/evidence.ts'
import { describeActualOutputs, findWantedOutputs } from './inputs/wanted_files.ts'

export async function decideFileModified(
  check: CheckOf<'file_modified'>,
  context: CheckContext,
): Promise<CheckVerdict> {
  const wanted = await findWantedOutputs(check.path, context)
  if ('verdict' in wanted) return wanted.verdict
  const { names, unseen, plain } = wanted
  const files = context.record.outputs.files.filter((file) => names.includes(file.path))
  const changed = files.find((file) => file.change === 'modified')
  if (changed) return { passed: true, evidence: `${changed.path} was changed (${changed.bytes} bytes)` }
  const [first] = unseen
  if (first) return failUnreadable(`${first.path} was not collected (${first.reason}): it may be a new file`)
  if (context.record.outputs.deleted.includes(plain)) return { passed: false, evidence: `${plain} was deleted` }
  if (names.length > 0)
    return { passed: false, evidence: `${formatNames(names)} was created, so it did not exist before` }
  return { passed: false, evidence: `${plain} was not changed; ${describeActualOutputs(context)}` }
}
