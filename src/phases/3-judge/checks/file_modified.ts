/** file_modified: the agent changed a file that was there before. */
import type { CheckOf } from '../../../../schemas/check.ts'
import { named } from './evidence.ts'
import type { CheckScene, CheckVerdict } from './scene.ts'
import { leftInstead, wantedOutputs } from './wanted.ts'

export async function fileModified(check: CheckOf<'file_modified'>, scene: CheckScene): Promise<CheckVerdict> {
  const wanted = await wantedOutputs(check.path, scene)
  if ('error' in wanted) return wanted
  const { names, unseen, plain } = wanted
  const files = scene.record.outputs.files.filter((file) => names.includes(file.path))
  const changed = files.find((file) => file.change === 'modified')
  if (changed) return { passed: true, evidence: `${changed.path} was changed (${changed.bytes} bytes)` }
  const [first] = unseen
  if (first) return { error: `${first.path} was not collected (${first.reason}): it may be a new file` }
  if (scene.record.outputs.deleted.includes(plain)) return { passed: false, evidence: `${plain} was deleted` }
  if (names.length > 0) return { passed: false, evidence: `${named(names)} was made, and not there before` }
  return { passed: false, evidence: `${plain} was not changed; ${leftInstead(scene)}` }
}
