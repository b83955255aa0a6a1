/** Finds the tasks that recur in sessions, and deals them to training and held-out cases. Pure. */
import type { CasePart } from '../../../../schemas/case_upkeep.ts'
import { sha256 } from '../../../base/json/json.ts'
import { type ClusterOptions, clusterTasks } from './cluster_tasks.ts'
import { mergeCopies } from './merge_copies.ts'
import type { SessionTask } from './session_task.ts'
import { findTaskWords } from './word_vectors.ts'

export interface MinedTask {
  /** The most typical first; never empty. */
  sessions: readonly [SessionTask, ...SessionTask[]]
  /** All that comes from these sessions is on this side. */
  split: CasePart
  recurs: boolean
}

export interface MinedTasks {
  /** The most frequent first. Each session is in exactly one. */
  tasks: MinedTask[]
  /** Records that were part of another one. */
  copies: number
}

/** A third for training, as `improve` deals. */
const dealingOrder = ['held_out', 'train', 'held_out'] as const satisfies readonly CasePart[]

export async function findMinedTasks(
  given: readonly SessionTask[],
  { minCount, ...options }: ClusterOptions & { minCount: number },
): Promise<MinedTasks> {
  const { sessions, copies } = mergeCopies(given)
  const groups = await clusterTasks(
    sessions.map(({ messages }) => findTaskWords(messages[0] ?? '')),
    options,
  )
  const found = groups.flatMap((members): Omit<MinedTask, 'split'>[] => {
    const [first, ...rest] = members.flatMap((index) => sessions[index] ?? [])
    return first === undefined ? [] : [{ sessions: [first, ...rest], recurs: members.length >= minCount }]
  })
  return { tasks: [...deal(found.filter((one) => one.recurs)), ...deal(found.filter((one) => !one.recurs))], copies }
}

/** By a hash of the sessions, so that neither the order nor the wording decides. */
function deal(tasks: readonly Omit<MinedTask, 'split'>[]): MinedTask[] {
  const lot = ({ sessions }: Omit<MinedTask, 'split'>) =>
    sha256(
      sessions
        .map(({ id }) => id)
        .sort()
        .join('\0'),
    )
  const order = [...tasks].sort((a, b) => (lot(a) < lot(b) ? -1 : 1))
  return tasks.map((one) => ({ ...one, split: dealingOrder[order.indexOf(one) % dealingOrder.length] ?? 'train' }))
}
