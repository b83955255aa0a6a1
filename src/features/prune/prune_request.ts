/** The request of `prune`. */
import type { BenchTemplate } from '../../flows/versions/bench_versions.ts'

export interface PruneRequest {
  /** The skill's folder; only --apply changes it, afterwards. */
  skill: string
  bench: BenchTemplate
  /** The shorter skill is to replace it: an earlier prune that no longer fits is then an error. */
  applies: boolean
  /** Parts of the text of units that no run leaves out. */
  protect: readonly string[]
  /** The smallest loss of a unit that counts, as a share of the pass rate. */
  detect: number
  /** The loss of the whole diet that counts as none. */
  margin: number
  seed: number
  /** null: as many as units worth `detect` take. */
  screeningRuns: number | null
  /** The most; null: as many as the margin takes. */
  certificationRuns: number | null
  /** Also use unreviewed drafts by a model as cases. */
  useDrafts: boolean
}
