/** file_size: a file that the agent made or changed is so many bytes large. */
import { stat } from 'node:fs/promises'
import type { CheckOf } from '../../../../schemas/check.ts'
import { inside, locate } from './locate.ts'
import { rangeText, within } from './range.ts'
import type { CheckScene, CheckVerdict } from './scene.ts'

export async function fileSize(check: CheckOf<'file_size'>, scene: CheckScene): Promise<CheckVerdict> {
  const located = await locate(check.path, scene)
  switch (located.status) {
    case 'undecided':
      return tooLarge(check, scene) ?? { error: located.error }
    case 'missing':
      return { passed: false, evidence: located.evidence }
    case 'found':
      return verdict(check, located.path, (await stat(located.file)).size)
  }
}

/** Of a file that was too large to be collected, the size is known all the same. */
function tooLarge(check: CheckOf<'file_size'>, scene: CheckScene): CheckVerdict | null {
  const left = scene.leftOut.find((one) => one.path === inside(check.path))
  const bytes = /^larger than .*\((\d+) bytes\)$/.exec(left?.reason ?? '')?.[1]
  return left === undefined || bytes === undefined ? null : verdict(check, left.path, Number(bytes))
}

function verdict(check: CheckOf<'file_size'>, name: string, bytes: number): CheckVerdict {
  const said = `${name}: ${bytes} bytes`
  if (within(check.bytes, bytes)) return { passed: true, evidence: said }
  return { passed: false, evidence: `${said}, not ${rangeText(check.bytes)}` }
}
