/** Reads what earlier runs in a workspace cost, with the same engine, model and judge. */
import path from 'node:path'
import type { Plan, RunSpec } from '../../../schemas/plan.ts'
import type { UserPrices } from '../../../schemas/prices.ts'
import type { RunRecord } from '../../../schemas/run.ts'
import { canonicalJson } from '../../base/json/json.ts'
import { applyUserPrices } from '../../engines/models/user_prices.ts'
import { listBenchmarks, readPlan, readRun } from '../../store/store.ts'
import { RunStats } from './run_statistics.ts'

/** Runs to read, newest benchmarks first: enough for a mean, few enough to be fast. */
const mostRuns = 300
const mostBenchmarks = 10

interface HistoryOptions {
  /** The current benchmark; absent or null: there is none. */
  except?: string | null
  /** The user's prices of today, which earlier runs count with; absent: none. */
  prices?: UserPrices | undefined
}

/** Unreadable history counts as none. */
export async function readHistory(
  workspace: string,
  plan: Plan,
  { except = null, prices }: HistoryOptions = {},
): Promise<RunStats> {
  const observed = new RunStats()
  const collections = ['benchmarks', 'searches', 'nights'] as const
  const found = await Promise.all(collections.map((one) => listBenchmarks(workspace, one)))
  const folders = found
    .flat()
    .filter((folder) => folder !== except)
    .sort((a, b) => path.basename(b).localeCompare(path.basename(a), 'en', { numeric: true }))
  for (const folder of folders.slice(0, mostBenchmarks)) {
    const other = await readPlan(folder).catch(() => null)
    if (other === null || !isAlike(other, plan)) continue
    for (const spec of other.runs) {
      if (observed.runs >= mostRuns) return observed
      const stored = await readRun(folder, spec.run_id)
      if (stored !== null) observed.addStored(spec, { ...stored, record: priceRecord(stored.record, spec, prices) })
    }
  }
  return observed
}

/** The record with its cost by the user's prices of today. `engine`: as it was asked for. */
export function priceRecord(
  record: RunRecord,
  { engine }: Pick<RunSpec, 'engine'>,
  prices: UserPrices | undefined,
): RunRecord {
  if (prices === undefined) return record
  const { usage, cost } = record
  const { model, provider } = record.engine
  const asked = { engine: engine.name, asked: engine.model }
  return { ...record, cost: applyUserPrices({ usage, cost, model, provider }, asked, prices).cost }
}

/** A different model has a different price. */
function isAlike(other: Plan, plan: Plan): boolean {
  const of = ({ options: { engine, judge } }: Plan) => canonicalJson({ engine, judge })
  return of(other) === of(plan)
}
