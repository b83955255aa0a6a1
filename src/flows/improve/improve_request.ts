/** The request of `improve`, and the settings that a resumed session must share with its first start. */
import type { Certification } from '../../../schemas/history/certification.ts'
import type { GuardMargins } from '../../phases/4-report/acceptance/guards.ts'
import { changesPerProposal } from '../../phases/5-improve/propose_prompt.ts'
import { proposalsPerRound } from '../../phases/5-improve/search/plan_session.ts'
import type { BenchTemplate } from '../versions/bench_versions.ts'

export interface ImproveRequest {
  /** The skill's folder; the loop never changes it. */
  skill: string
  bench: BenchTemplate
  /** Agent runs of the session, at most: half search, half certify. */
  totalRuns: number
  goal: Certification['goal']
  /** engine[:model] of the judge that certifies; `none`: checks alone decide; null: one of another family if it is available. */
  certifyJudge: string | null
  /** Only the description may change, by queries that should or should not make the agent read the skill: the file with them. Absent: all may. */
  descriptionBy?: string
  /** engine[:model] of agents with which a certified version is run again. */
  confirmOn: readonly string[]
  seed: number
  margins: GuardMargins
  /** engine[:model] of the proposer; null: that of the runs. */
  proposer: string | null
  /** Time limit of one proposal, in seconds. */
  proposeTimeout: number
  /** Also use unreviewed drafts by a model as cases. */
  useDrafts: boolean
  /** Continue the session in the workspace. */
  resume: boolean
  /** A new git branch for a certified version, checked before any paid call; absent or null: none. */
  branch?: string | null
  /** Start a new session even if the workspace has an unfinished one, which is moved to `sessions/`. */
  replaceUnfinished?: boolean
  /** --apply without a user to confirm: refused before any paid call. */
  nobodyConfirms?: boolean
  /** Called after each round; resolves when the next may begin. null: no review. */
  review: ReviewBenchmark | null
}

/** Shows a benchmark folder (absolute); feedback on runs of these cases goes to the next proposers. */
export type ReviewBenchmark = (at: { folder: string; cases: readonly number[] }) => Promise<void>

/** Two descriptions can't be tried together. */
export function countProposals({ descriptionBy }: Pick<ImproveRequest, 'descriptionBy'>) {
  return descriptionBy === undefined
    ? { proposals: proposalsPerRound, changes: changesPerProposal }
    : { proposals: 1, changes: 1 }
}
