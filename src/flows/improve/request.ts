/** What `improve` is asked, and the settings that a resumed session must share with its first start. */
import type { Margins } from '../../phases/4-report/accept/guards.ts'
import type { BenchRequest } from '../prepare.ts'

/** What is asked of every benchmark of the loop. */
type BenchTemplate = Omit<
  BenchRequest,
  | 'skill'
  | 'baseline'
  | 'cases'
  | 'runs'
  | 'until'
  | 'design'
  | 'fresh'
  | 'cache'
  | 'calibrate'
  | 'perform'
  | 'suiteRoot'
  | 'purses'
>

export interface ImproveRequest {
  /** The skill's folder; never changed by the loop. */
  skill: string
  bench: BenchTemplate
  iterations: number
  /** Of each case in each arm. */
  trainRuns: number
  /** null: as many as the size of the suite asks for. */
  validationRuns: number | null
  /** null: as many as in validation. */
  testRuns: number | null
  seed: number
  margins: Margins
  /** engine[:model] of the proposer; null: that of the runs. */
  proposer: string | null
  /** Seconds that one proposal may take. */
  proposeTimeout: number
  /** Judge by cases, too, that a model drafted and nobody has reviewed. */
  useDrafts: boolean
  /** Go on with the session that lies in the workspace. */
  resume: boolean
  /** The result is to be applied, and nobody can be asked: refused while something would still be paid for. */
  nobodyConfirms?: boolean
  /** Called after each iteration; resolves when the next may begin. null: nobody is waited for. */
  review: Review | null
}

/** Shows a benchmark folder (absolute); what is said of its runs of these cases reaches the next proposer. */
export type Review = (at: { folder: string; cases: readonly number[] }) => Promise<void>
