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
  validationRuns: number
  testRuns: number
  seed: number
  margins: Margins
  /** engine[:model] of the proposer; null: that of the runs. */
  proposer: string | null
  /** Seconds that one proposal may take. */
  proposeTimeout: number
  /** Go on with the session that lies in the workspace. */
  resume: boolean
  /** Called after each iteration; resolves when the next may begin. null: nobody is waited for. */
  review: ((folder: string) => Promise<void>) | null
}
