/** file_absent: the working folder does not contain such a file when the agent ends. */
import type { CheckOf } from '../../../../schemas/check.ts'
import { isIgnoredPath } from '../../../base/fs/ignored_folders.ts'
import type { CheckContext, CheckVerdict } from './inputs/check_input.ts'
import { resolveFileNames } from './inputs/match_files.ts'
import { findWantedOutputs } from './inputs/wanted_files.ts'
import { useUntouchedFiles } from './inputs/working_folder.ts'

/** An input file that the agent leaves in place is not absent. */
export async function decideFileAbsent(check: CheckOf<'file_absent'>, context: CheckContext): Promise<CheckVerdict> {
  const wanted = await findWantedOutputs(check.path, context)
  if ('verdict' in wanted) return wanted.verdict
  const { plain, names, unseen, odd } = wanted
  const [there] = [...names, ...[...unseen, ...odd].map(({ path, reason }) => `${path} (${reason})`)]
  if (there !== undefined) return { passed: false, evidence: `${there} is there` }
  if (isIgnoredPath(plain)) return { error: `${plain} is in a folder that is not collected` }
  return await useUntouchedFiles(context, async (files): Promise<CheckVerdict> => {
    const given = await resolveFileNames(
      plain,
      files.map((file) => file.path),
      context.signal,
    )
    if ('error' in given) return given
    const [name] = given.names
    if (name !== undefined)
      return { passed: false, evidence: `${name} exists, unchanged from before the agent started` }
    return { passed: true, evidence: `The working folder contains nothing that matches ${plain}` }
  })
}
