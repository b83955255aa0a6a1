/** file_exists: the agent made or changed a file of that path or glob. */
import picomatch from 'picomatch'
import type { CheckOf } from '../../../../schemas/check.ts'
import { findPattern } from '../../../base/bounded.ts'
import { named } from './evidence.ts'
import { inside, locate } from './locate.ts'
import { type CheckScene, type CheckVerdict, isUnknown } from './scene.ts'

export async function fileExists(check: CheckOf<'file_exists'>, scene: CheckScene): Promise<CheckVerdict> {
  const plain = inside(check.path) ?? ''
  const big = scene.leftOut.find((one) => one.path === plain && isUnknown(one))
  if (big) return { passed: true, evidence: `${big.path} is there (not collected: ${big.reason})` }
  const located = await locate(check.path, scene)
  if (located.status === 'undecided') return { error: located.error }
  if (located.status === 'found') return { passed: true, evidence: `${located.path} is there` }
  const below = scene.outputs.filter((name) => name.startsWith(`${plain}/`))
  if (below.length > 0) return { passed: true, evidence: `${plain}/ is there, with ${named(below)}` }
  if (!picomatch.scan(plain).isGlob) return { passed: false, evidence: located.evidence }
  return globbed(plain, scene)
}

async function globbed(glob: string, scene: CheckScene): Promise<CheckVerdict> {
  const { source, flags } = picomatch.makeRe(glob, { dot: true })
  const unknown = scene.leftOut.filter(isUnknown).map((one) => one.path)
  const names = [...scene.outputs, ...unknown]
  const end = await findPattern({ pattern: source, flags, texts: names }, scene.signal)
  if ('error' in end) return { error: `the glob ${glob} could not be tried: ${end.error}` }
  const name = names[end.value.index]
  if (name !== undefined) return { passed: true, evidence: `${name} is there` }
  return { passed: false, evidence: `No output file matches ${glob}; the agent left ${named(scene.outputs)}` }
}
