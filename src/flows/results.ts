/** The runs on disk that belong to a plan, as the reports count them. */
import type { Grading } from '../../schemas/grading.ts'
import type { Plan, RunSpec } from '../../schemas/plan.ts'
import type { Damage } from '../store/damage.ts'
import { type RunAhead, readAhead } from '../store/read_ahead.ts'
import { type CountedRun, readAgain, readCounted } from '../store/store.ts'
import type { LaidRun } from './audited.ts'
import type { FlowContext } from './context.ts'
import { holdSmall } from './counted_small.ts'

interface Asked {
  folder: string
  plan: Plan
  /** What this process wrote itself and need not read again, by run id. */
  known?: ReadonlyMap<string, LaidRun> | undefined
}

type Result = CountedRun & { again?: readonly Grading[] }

/** By run id, in the plan's order. */
export function readResults(asked: Asked, context: FlowContext): Map<string, Result> {
  const results = new Map<string, Result>()
  const read = resultsInto(results, asked, context)
  for (const spec of asked.plan.runs) read(spec)
  return results
}

/** The same; where nothing is known, the files of very many runs are read beside the checks. */
export async function readResultsAhead(asked: Asked, context: FlowContext): Promise<Map<string, Result>> {
  if (asked.known !== undefined && asked.known.size > 0) return readResults(asked, context)
  const results = new Map<string, Result>()
  await readAhead(asked.folder, asked.plan.runs, resultsInto(results, asked, context))
  return results
}

function resultsInto(results: Map<string, Result>, { folder, known }: Asked, context: FlowContext) {
  const small = holdSmall()
  const tell = (damage: Damage) =>
    context.emit({ type: 'artefact_damaged', ...damage, mended: 'left out; the same bench makes it anew' })
  return (spec: RunSpec, ahead?: RunAhead): void => {
    const { run_id, key } = spec
    const written = known?.get(run_id)
    const stored = written ?? readCounted(folder, run_id, tell, ahead)
    if (stored === null || stored.record.key !== key) return
    const isAgain = written === undefined && ahead?.again !== false
    const again = isAgain ? [...readAgain(folder, run_id, tell).values()] : []
    const held = small(stored, spec, again.length > 0)
    results.set(run_id, again.length === 0 ? held : { ...held, again })
  }
}
