/** file_exists: the agent created or changed a file of that path or glob. */
import picomatch from 'picomatch'
import type { CheckOf } from '../../../../schemas/check.ts'
import { findPattern } from '../../../base/process/find_pattern.ts'
import { type CheckContext, type CheckVerdict, isContentUnknown } from './inputs/check_input.ts'
import { formatNames } from './inputs/evidence.ts'
import { locateOutput, normalizeInnerPath } from './inputs/locate_output.ts'
import { describeUnfinished } from './results/search_limit.ts'

export async function decideFileExists(check: CheckOf<'file_exists'>, context: CheckContext): Promise<CheckVerdict> {
  const plain = normalizeInnerPath(check.path) ?? ''
  const big = context.leftOut.find((one) => one.path === plain && isContentUnknown(one))
  if (big) return { passed: true, evidence: `${big.path} is there (not collected: ${big.reason})` }
  const located = await locateOutput(check.path, context)
  if (located.status === 'undecided') return located.verdict
  if (located.status === 'found') return { passed: true, evidence: `${located.path} is there` }
  const below = context.outputs.filter((name) => name.startsWith(`${plain}/`))
  if (below.length > 0) return { passed: true, evidence: `${plain}/ is there, with ${formatNames(below)}` }
  if (!picomatch.scan(plain).isGlob) return { passed: false, evidence: located.evidence }
  return decideGlobExists(plain, context)
}

async function decideGlobExists(glob: string, context: CheckContext): Promise<CheckVerdict> {
  const { source, flags } = picomatch.makeRe(glob, { dot: true })
  const unknown = context.leftOut.filter(isContentUnknown).map((one) => one.path)
  const names = [...context.outputs, ...unknown]
  const end = await findPattern({ pattern: source, flags }, names, context.signal)
  if ('error' in end) return describeUnfinished(`the glob ${glob}`, end)
  const name = names[end.value.index]
  if (name !== undefined) return { passed: true, evidence: `${name} is there` }
  return { passed: false, evidence: `No output file matches ${glob}; the agent left ${formatNames(context.outputs)}` }
}
