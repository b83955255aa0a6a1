/** triggers --all: asks the queries of every skill of a folder with all of them installed: which is read, and who takes whose queries. */
import type { Stop } from '../../../../schemas/limits.ts'
import type { RunSpec } from '../../../../schemas/plan.ts'
import { type TriggerMatrix, triggerMatrix as triggerMatrixSchema } from '../../../../schemas/trigger_matrix.ts'
import { getRedactor } from '../../../base/secrets/redact.ts'
import type { FlowContext } from '../../../flows/flow_context.ts'
import { readHistory } from '../../../flows/history/forecast.ts'
import { openLimitedBench, queueInPairs, resolveSharedLimits } from '../../../flows/limits/limited_bench.ts'
import { repairBenchmark } from '../../../flows/workspace/open_benchmark.ts'
import { tryReadArtefact } from '../../../store/artefacts/damage.ts'
import { benchmarkPaths } from '../../../store/paths.ts'
import { findSigner } from '../../../store/signing/signer.ts'
import { writeArtefact, writePlan } from '../../../store/store.ts'
import {
  executeQueries,
  type Reviewed,
  readQueryRuns,
  reviewMeasurement,
  type StartedMeasurement,
  startMeasurement,
} from '../measure/measurement.ts'
import type { TriggerRunSource } from '../report/results.ts'
import { buildMatrix, toMatrixRun } from './build_matrix.ts'
import { type AllTriggersRequest, type PreparedAllTriggers, prepareAllTriggers } from './prepare_all_triggers.ts'
import { countQuery, findOpenQueries } from './theft_rule.ts'

export interface AllTriggersResult {
  /** The measurement's folder, absolute. */
  folder: string
  /** trigger_matrix.json, absolute. */
  file: string
  matrix: TriggerMatrix
}

/** Throws UserError or IncompleteError before any paid call, and the abort reason if interrupted. */
export async function measureAllTriggers(
  request: AllTriggersRequest,
  context: FlowContext,
): Promise<AllTriggersResult> {
  return await startMeasurement(
    request,
    {
      prepare: () => prepareAllTriggers(request, context, false),
      isComplete: (folder) => readMatrix(folder)?.complete === true,
      describe: ({ name, skills, queries }) => ({
        skill_name: `${skills.length} skills of ${name}`,
        among: [],
        should: queries.map(({ owners }) => owners.length > 0),
      }),
      async run(started, held) {
        const rounds = await askInRounds(started, held)
        const built = buildMatrix({ ...started, ...rounds, createdAt: held.now().toISOString() })
        const matrix = getRedactor(held.env).value(built)
        const { folder } = started
        const file = benchmarkPaths(folder).triggerMatrix
        await writeArtefact(triggerMatrixSchema, file, matrix)
        return { folder, file, matrix }
      },
    },
    context,
  )
}

function readMatrix(folder: string): TriggerMatrix | null {
  return tryReadArtefact(triggerMatrixSchema, benchmarkPaths(folder).triggerMatrix)
}

export interface ReviewedAllTriggers extends Reviewed<PreparedAllTriggers> {
  /** Mean dollars of a run, from earlier measurements or --cost-per-run; null: not known. */
  costPerRun: number | null
}

/** The plan alone and what it may cost, for --dry-run. */
export async function planAllTriggersOnly(
  request: AllTriggersRequest,
  context: FlowContext,
): Promise<ReviewedAllTriggers> {
  const reviewed = await reviewMeasurement(await prepareAllTriggers(request, context, true), request, context)
  const history = await readHistory(reviewed.workspace, reviewed.plan, { collections: ['triggers'] })
  const costPerRun = history.mean('run', 'usd') ?? request.limits.costPerRun
  return { ...reviewed, costPerRun }
}

type StartedAll = PreparedAllTriggers & StartedMeasurement

/** Of the runs that were due, by query_id, in order of run number. */
type DueRuns = Map<number, TriggerRunSource[]>

/**
 * What is due depends only on the runs on disk, so a resume goes on with the same rounds. plan.json has the runs that were due. Throws the
 * abort reason if interrupted; completed runs are kept.
 */
async function askInRounds(started: StartedAll, context: FlowContext): Promise<{ runs: DueRuns; stop: Stop | null }> {
  const { plan, folder, workspace, wish } = started
  await repairBenchmark(folder, plan, context)
  using limited = await openLimitedBench({ plan, folder, workspace, ...resolveSharedLimits(wish) }, context)
  const runs: DueRuns = new Map()
  const asked: RunSpec[] = []
  for (let round = 1; round <= plan.options.runs; round += 1) {
    const due = selectDue(started, round, runs)
    if (due.length === 0) break
    asked.push(...due)
    await writePlan(folder, { ...plan, runs: asked }, findSigner(context.env))
    context.emit({ type: 'trigger_round', round, runs: due.length })
    const queued = limited && { ...limited, queue: queueInPairs(due) }
    const isHalted = await executeQueries({ ...started, plan: { ...plan, runs: due } }, queued, context)
    const made = await readQueryRuns(folder, due)
    for (const [id, more] of made) runs.set(id, [...(runs.get(id) ?? []), ...more])
    if (isHalted || context.drain.aborted || !hasAnswer(started, made)) break
  }
  return { runs, stop: limited?.stopped() ?? null }
}

function selectDue({ plan, queries, skills }: StartedAll, round: number, runs: DueRuns): RunSpec[] {
  const inRound = plan.runs.filter(({ run_number }) => run_number === round)
  if (round === 1 || plan.options.until === undefined) return inRound
  const counted = queries.map((query) => countQuery(query, toMatrixRuns(query, runs)))
  const installed = skills.map(({ name }) => name)
  const open = findOpenQueries(counted, installed)
  return inRound.filter(({ eval_id }) => open.has(eval_id))
}

function toMatrixRuns(query: StartedAll['queries'][number], runs: DueRuns) {
  return (runs.get(query.query_id) ?? []).map((one) => toMatrixRun(one, query))
}

function hasAnswer({ queries }: StartedAll, made: DueRuns): boolean {
  return queries.some((query) => toMatrixRuns(query, made).some(({ outcome }) => outcome === 'answered'))
}
