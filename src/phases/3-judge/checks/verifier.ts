/** verifier: the reward of a Harbor task, which its verifier wrote at the end of the run. */
import path from 'node:path'
import type { CheckOf } from '../../../../schemas/check.ts'
import { pathExists } from '../../../base/fs/files.ts'
import { readText } from '../../../base/json/json.ts'
import type { CheckContext, CheckVerdict } from './inputs/check_input.ts'
import { capTextEnd, failUnreadable } from './inputs/evidence.ts'
import { decideLoadFailure } from './results/load_failures.ts'
import { readVerifierResult } from './results/verifier_folder.ts'

/** The last line of output.txt is Whetstone's: the verifier worked on what the agent left, and that stopped it. */
const endedEarly = /\((?:no end within [\d.]+ s|ended by SIG\w+)\)\s*$/

/** Passes at the full reward. A verifier that could not run its tests decides nothing. */
export async function decideVerifier(_: CheckOf<'verifier'>, context: CheckContext): Promise<CheckVerdict> {
  const folder = path.join(path.dirname(context.outputsFolder), 'verifier')
  if (!path.isAbsolute(folder) || !(await pathExists(folder)))
    return { error: 'no verifier ran: only a Harbor task has one' }
  const expectsTests = context.start.harbor?.verifier.expects_tests ?? false
  const output = await readText(path.join(folder, 'output.txt')).catch(() => '')
  const result = decideLoadFailure(
    await readVerifierResult(folder, { expectsTests }),
    output,
    context.asked,
    context.outputs,
  )
  if ('error' in result) {
    const why = `${result.error}; its output ends: ${capTextEnd(output.trim())}`
    return endedEarly.test(output) ? failUnreadable(why) : { error: why }
  }
  const { score, tests = [] } = result
  const failed = tests.filter(({ passed }) => !passed)
  const [first] = failed
  const counted = tests.length === 0 ? '' : `; ${tests.length - failed.length} of ${tests.length} tests passed`
  const named = first === undefined ? '' : `; failed: ${first.name}`
  return {
    passed: score >= 1,
    score,
    evidence: `Reward ${score}${counted}${named}`,
    ...(tests.length > 0 && { tests }),
  }
}
