/** Decides on held-out cases whether the shorter skill is kept: pairs of fresh runs with it and with the whole skill. */
import type { DietCertification } from '../../../schemas/prune.ts'
import { certifyDiet } from '../../phases/4-report/acceptance/certify_diet.ts'
import { pairCases } from '../../phases/4-report/acceptance/compared_case.ts'
import type { FlowContext } from '../flow_context.ts'
import { benchVersions, type VersionsPlace } from '../versions/bench_versions.ts'
import type { PruneSession } from './open_prune.ts'

/** `pairs`: of each held-out case. Throws StepStopped if a limit ends it. */
export async function certifyPruned(
  { paths, split, plan }: PruneSession,
  { place, pairs }: { place: VersionsPlace; pairs: number },
  context: FlowContext,
): Promise<DietCertification> {
  const { folder, benchmark } = await benchVersions(
    place,
    {
      ...{ candidate: paths.pruned, against: paths.full, isSearch: false },
      cases: split.held_out,
      runs: pairs,
      choose: (_, planned) => planned,
    },
    context,
  )
  const cases = pairCases(benchmark, { candidate: 'new_skill', baseline: 'old_skill' })
  return certifyDiet({
    ...{ benchmark: folder, cases, margin: plan.margin },
    missing: benchmark.statistics?.missing_grades,
  })
}
