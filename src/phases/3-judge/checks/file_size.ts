/** file_size: a file that the agent created or changed has this many bytes. */
import { stat } from 'node:fs/promises'
import type { CheckOf } from '../../../../schemas/check.ts'
import type { CheckContext, CheckVerdict } from './inputs/check_input.ts'
import { locateOutput, normalizeInnerPath } from './inputs/locate_output.ts'
import { isInRange, rangeText } from './inputs/range.ts'

export async function decideFileSize(check: CheckOf<'file_size'>, context: CheckContext): Promise<CheckVerdict> {
  const located = await locateOutput(check.path, context)
  switch (located.status) {
    case 'undecided':
      return tooLarge(check, context) ?? located.verdict
    case 'missing':
      return { passed: false, evidence: located.evidence }
    case 'found':
      return verdict(check, located.path, (await stat(located.file)).size)
  }
}

/** The size of a file is known even if it is too large to be collected. */
function tooLarge(check: CheckOf<'file_size'>, context: CheckContext): CheckVerdict | null {
  const left = context.leftOut.find((one) => one.path === normalizeInnerPath(check.path))
  const bytes = /^larger than .*\((\d+) bytes\)$/.exec(left?.reason ?? '')?.[1]
  return left === undefined || bytes === undefined ? null : verdict(check, left.path, Number(bytes))
}

function verdict(check: CheckOf<'file_size'>, name: string, bytes: number): CheckVerdict {
  const said = `${name}: ${bytes} bytes`
  if (isInRange(check.bytes, bytes)) return { passed: true, evidence: said }
  return { passed: false, evidence: `${said}, not ${rangeText(check.bytes)}` }
}
