/** Fetches runs that the workspace's cache lacks from the shared cache into it. */
import pLimit from 'p-limit'
import { cachedGrading } from '../../../schemas/cache.ts'
import type { RunSpec } from '../../../schemas/plan.ts'
import type { SuiteCase } from '../../../schemas/suite.ts'
import { errorMessage } from '../../base/errors/error.ts'
import { checkAs, parseJson } from '../../base/json/json.ts'
import { buildCacheParts, computeCacheKey } from '../../phases/1-plan/keys/cache_key.ts'
import { keepGrading } from '../../store/cache/cache_grading.ts'
import { readOwnEntry } from '../../store/cache/cache_run.ts'
import { isRunDone } from '../../store/is_run_done.ts'
import { keepPackedRun } from '../../store/shared_cache/packed_run.ts'
import { readRun } from '../../store/store.ts'
import type { FlowContext } from '../flow_context.ts'
import { hashCriteria } from './cached_grading.ts'
import type { CacheRequest, RunCache } from './run_cache.ts'
import { nameSharedGrading, type SharedCache } from './shared_cache.ts'

/** Each waits for the server, and has a whole run in memory. */
const atOnce = 8

/** Fetches the missing runs of the plan, with their gradings. Never rejects for what the shared cache has or does. */
export async function fetchSharedRuns(
  { plan, folder, cache }: Pick<CacheRequest, 'plan' | 'folder'> & { cache: RunCache },
  context: FlowContext,
): Promise<void> {
  const { shared } = cache
  if (shared === null) return
  const cases = new Map(plan.cases.map((one) => [one.eval_id, one]))
  const limit = pLimit(atOnce)
  const fetch = async (spec: RunSpec) => {
    const one = cases.get(spec.eval_id)
    if (one === undefined || spec.rerun_of !== undefined || context.drain.aborted || context.signal.aborted) return
    const stored = await readRun(folder, spec.run_id)
    if (stored === null || !isRunDone(stored, spec)) await fetchRun({ cache, shared }, { spec, one })
  }
  await Promise.all(plan.runs.map((spec) => limit(() => fetch(spec))))
}

async function fetchRun(
  { cache, shared }: { cache: RunCache; shared: SharedCache },
  { spec, one }: { spec: RunSpec; one: SuiteCase },
): Promise<void> {
  const run = computeCacheKey(buildCacheParts(spec, cache.surroundings))
  if (readOwnEntry(cache.cache, run) !== null) return
  const packed = await shared.read('run', run)
  if (packed === null) return
  try {
    const { ended_at: of } = await keepPackedRun(cache.cache, run, packed)
    const criteria = hashCriteria(cache, one)
    const name = criteria === null ? null : nameSharedGrading({ run, criteria, of })
    const found = name === null ? null : await shared.read('grading', name)
    if (criteria === null || found === null) return
    const grading = checkAs(cachedGrading, parseJson(found.toString('utf8'), 'grading'), 'grading')
    await keepGrading(cache.cache, { run, criteria }, grading)
  } catch (error) {
    shared.refuse(run, errorMessage(error))
  }
}
