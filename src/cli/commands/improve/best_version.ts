/** Puts the best version of a session where the user wants it: in place of the skill, or on a branch. */
import { prepareApply } from '../../../flows/improve/apply.ts'
import { branchBest } from '../../../flows/improve/branch.ts'
import type { ImproveResult } from '../../../flows/improve/improve.ts'
import { exitCodes } from '../../exit_codes.ts'
import { confirmReplacement } from '../../terminal/confirm_replacement.ts'
import { toSafeLine } from '../../terminal/style.ts'

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

export interface CommittedBranch {
  name: string
  commit: string
}

/** Commits the version and prints its commit; null: v0 is the best, so there is no branch. */
export async function commitBest(
  result: ImproveResult,
  { skill, name, json }: { skill: string; name: string; json: boolean },
): Promise<CommittedBranch | null> {
  const made = await branchBest(result, { skill, name })
  const line =
    made === null
      ? `No branch ${name}: v0 is the best.`
      : `Committed ${result.history.current_best} as ${made.commit.slice(0, 10)} on the new branch ${name}`
  const stream = json ? process.stderr : process.stdout
  stream.write(`${toSafeLine(line)}\n`)
  return made === null ? null : { name, commit: made.commit }
}
