/** Replaces the skill with the best version, if there is a better one. */
import { prepareApply } from '../../../flows/improve/apply.ts'
import type { ImproveResult } from '../../../flows/improve/improve.ts'
import { exitCodes } from '../../exit_codes.ts'
import { confirmReplacement } from '../../terminal/confirm_replacement.ts'

/** Exit code 0, also if nothing changes or the answer is no. Throws UserError if nobody can answer and --yes is absent. */
export async function applyBest(
  result: ImproveResult,
  { skill, json, yes }: { skill: string; json: boolean; yes: boolean },
): Promise<number> {
  const { current_best: name } = result.history
  if (name === 'v0') {
    ;(json ? process.stderr : process.stdout).write('Nothing to apply: v0 is the best.\n')
    return exitCodes.done
  }
  await confirmReplacement(await prepareApply(result, skill), { name, skill, json, yes })
  return exitCodes.done
}
