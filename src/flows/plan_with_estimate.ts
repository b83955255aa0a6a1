/** A plan and what it will take: what --dry-run prints, and what is asked about before a long or dear benchmark. */
import { existsSync } from 'node:fs'
import type { CacheExplanation } from '../../schemas/cache_report.ts'
import { cacheOf } from '../store/cache.ts'
import { withPlan } from './bench.ts'
import type { FlowContext } from './context.ts'
import { type Detectable, detectableOf, type NeededFor, neededOf } from './detectable.ts'
import { type Estimate, estimateBench } from './estimate_bench.ts'
import { explainCache } from './explain_cache.ts'
import type { BenchRequest, Prepared } from './prepare.ts'

export interface Planned extends Prepared {
  estimate: Estimate
  detectable: Detectable
  /** null: no difference was named. */
  needed: NeededFor | null
  /** Run by run, whether the cache has it; null: there is no cache yet. */
  cache: CacheExplanation[] | null
}

/** Nothing that costs is started, nothing written. Throws UserError. */
export async function planWithEstimate(request: BenchRequest, context: FlowContext): Promise<Planned> {
  return await withPlan(request, context, async (prepared) => {
    const isThere = existsSync(cacheOf(prepared.workspace).runs)
    const cache = isThere ? await explainCache(prepared, request, context) : null
    const reused = new Map((cache ?? []).flatMap((run) => (run.status === 'reused' ? [[run.run_id, run]] : [])))
    const { design = { power: null, detect: null } } = request
    const detectable = detectableOf(prepared.plan, design.power ?? undefined)
    const needed = neededOf(prepared.plan, design)
    return { ...prepared, cache, detectable, needed, estimate: await estimateBench(prepared, { ...request, reused }) }
  })
}
