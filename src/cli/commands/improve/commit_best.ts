/** Commits the certified version to the branch that --branch names, and prints its commit. */
import { branchBest } from '../../../flows/improve/branch.ts'
import type { ImproveResult } from '../../../flows/improve/improve.ts'
import { toSafeLine } from '../../terminal/style.ts'

export interface CommittedBranch {
  name: string
  commit: string
}

/** null: v0 is the best, so there is no branch. */
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
