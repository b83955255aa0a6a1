/** Shows what the shorter skill lacks, asks on a terminal, and replaces the skill with it. */
import { preparePruned } from '../../../flows/prune/apply_pruned.ts'
import type { PruneResult } from '../../../flows/prune/prune.ts'
import { confirmReplacement } from '../../terminal/confirm_replacement.ts'

export async function applyPruned(
  { prune, folder, workspace }: PruneResult,
  { skill, json, yes }: { skill: string; json: boolean; yes: boolean },
): Promise<void> {
  const change = await preparePruned({ prune, folder, workspace }, skill)
  await confirmReplacement(change, { name: 'the shorter skill', skill, json, yes })
}
