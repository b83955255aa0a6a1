/** file_count: the agent made or changed so many files that a glob means. */
import type { CheckOf } from '../../../../schemas/check.ts'
import { named } from './evidence.ts'
import { rangeText, within } from './range.ts'
import type { CheckScene, CheckVerdict } from './scene.ts'
import { wantedOutputs } from './wanted.ts'

/** A file that was too large to be collected is there all the same, and counts. */
export async function fileCount(check: CheckOf<'file_count'>, scene: CheckScene): Promise<CheckVerdict> {
  const wanted = await wantedOutputs(check.path, scene)
  if ('error' in wanted) return wanted
  const names = [...wanted.names, ...wanted.unseen.map((one) => one.path)]
  const said = `${check.path}: ${names.length} files (${named(names)})`
  if (within(check.count, names.length)) return { passed: true, evidence: said }
  return { passed: false, evidence: `${said}, not ${rangeText(check.count)}` }
}
