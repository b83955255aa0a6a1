/** file_absent: no such file is in the working folder when the agent ends. */
import type { CheckOf } from '../../../../schemas/check.ts'
import { isPassedOver } from '../../../base/passed_over.ts'
import { meant } from './meant.ts'
import type { CheckScene, CheckVerdict } from './scene.ts'
import { wantedOutputs } from './wanted.ts'
import { untouched } from './working_folder.ts'

/** One that the agent was given and left there is not absent. */
export async function fileAbsent(check: CheckOf<'file_absent'>, scene: CheckScene): Promise<CheckVerdict> {
  const wanted = await wantedOutputs(check.path, scene)
  if ('error' in wanted) return wanted
  const { plain, names, unseen } = wanted
  const links = scene.leftOut.filter((one) => one.path === plain)
  const [there] = [...names, ...[...unseen, ...links].map(({ path, reason }) => `${path} (${reason})`)]
  if (there !== undefined) return { passed: false, evidence: `${there} is there` }
  if (isPassedOver(plain)) return { error: `${plain} is in a folder that is not collected` }
  return await untouched(scene, async (files): Promise<CheckVerdict> => {
    const given = await meant(
      plain,
      files.map((file) => file.path),
      scene.signal,
    )
    if ('error' in given) return given
    const [name] = given.names
    if (name !== undefined) return { passed: false, evidence: `${name} is there, as it was before the agent began` }
    return { passed: true, evidence: `Nothing that ${plain} means is in the working folder` }
  })
}
