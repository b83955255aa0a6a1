/** triggers: tests whether the description makes the agent use the skill. Runs each query N times and checks which skills were read. */
import type { Configuration, Plan } from '../../../../schemas/plan.ts'
import { type Triggers, triggers as triggersSchema } from '../../../../schemas/triggers.ts'
import { getRedactor } from '../../../base/secrets/redact.ts'
import { readStop } from '../../../engines/answers/skill_read.ts'
import type { FlowContext } from '../../../flows/flow_context.ts'
import { openLimitedBench, resolveSharedLimits } from '../../../flows/limits/limited_bench.ts'
import { repairBenchmark } from '../../../flows/workspace/open_benchmark.ts'
import { tryReadArtefact } from '../../../store/artefacts/damage.ts'
import { benchmarkPaths } from '../../../store/paths.ts'
import { findSigner } from '../../../store/signing/signer.ts'
import { listBenchmarks, readPlan, readRun, writeArtefact, writePlan } from '../../../store/store.ts'
import { buildTriggers, type RunAmounts, type WholeRuns } from '../report/report.ts'
import { toTriggerRun } from '../report/results.ts'
import {
  executeQueries,
  type Reviewed,
  readQueryRuns,
  reviewMeasurement,
  type StartedMeasurement,
  startMeasurement,
} from './measurement.ts'
import { type PreparedTriggers, prepareTriggers, type TriggersRequest } from './prepare_triggers.ts'

export interface TriggersResult {
  /** The measurement's folder, absolute. */
  folder: string
  /** triggers.json, absolute. */
  file: string
  triggers: Triggers
}

/** Throws UserError or IncompleteError before any paid call, and the abort reason if interrupted. */
export async function measureTriggers(request: TriggersRequest, context: FlowContext): Promise<TriggersResult> {
  return await startMeasurement<PreparedTriggers, TriggersResult>(
    request,
    {
      prepare: () => prepareTriggers(request, context, false),
      isComplete: (folder) => tryReadArtefact(triggersSchema, benchmarkPaths(folder).triggers)?.complete === true,
      describe: ({ plan, set }) => ({
        skill_name: plan.skill.name,
        among: (plan.runs[0]?.among ?? []).map(({ name }) => name),
        should: set.queries.map(({ should_trigger }) => should_trigger),
      }),
      run: (started, held) => askQueries({ ...started, threshold: request.threshold }, held),
    },
    context,
  )
}

/** The plan alone, for --dry-run. */
export async function planTriggersOnly(
  request: TriggersRequest,
  context: FlowContext,
): Promise<Reviewed<PreparedTriggers>> {
  return await reviewMeasurement(await prepareTriggers(request, context, true), request, context)
}

interface AskedSet extends StartedMeasurement, Pick<PreparedTriggers, 'set'> {
  /** The trigger rate from which a query counts as triggered. */
  threshold: number
}

/** Runs every unanswered query of a plan in a locked folder, and writes triggers.json. Completed runs are kept if interrupted. */
async function askQueries(asked: AskedSet, context: FlowContext): Promise<TriggersResult> {
  const { plan, set, folder, workspace, threshold, wish } = asked
  await writePlan(folder, plan, findSigner(context.env))
  await repairBenchmark(folder, plan, context)
  using limited = await openLimitedBench({ plan, folder, workspace, ...resolveSharedLimits(wish) }, context)
  await executeQueries(asked, limited, context)
  const built = buildTriggers({
    plan,
    queries: set.queries,
    set: {
      ...{ path: set.path, sha256: set.sha256, format: set.format, warnings: plan.warnings },
      drafts: set.queries.filter(({ draft }) => draft).length,
    },
    threshold,
    runs: await readQueryRuns(folder, plan.runs),
    basis: await readSavingBasis(workspace, plan),
    stopReason: readStop,
    stop: limited?.stopped() ?? null,
    createdAt: context.now().toISOString(),
  })
  const triggers = getRedactor(context.env).value(built)
  const file = benchmarkPaths(folder).triggers
  await writeArtefact(triggersSchema, file, triggers)
  const { complete, summary } = triggers
  context.emit({ type: 'triggers_written', folder, file, complete, passed: summary.passed, total: summary.total })
  return { folder, file, triggers }
}

/** From the newest suitable measurement, else the newest suitable benchmark, of this skill on this engine. */
async function readSavingBasis(workspace: string, plan: Plan): Promise<WholeRuns> {
  const measured = await readMeasuredRuns(workspace, plan)
  return { measured, benched: measured.length > 0 ? [] : await readBenchedRuns(workspace, plan) }
}

/** From measurements without early stopping. */
async function readMeasuredRuns(workspace: string, plan: Plan): Promise<RunAmounts[]> {
  for (const folder of await listBenchmarks(workspace, 'triggers')) {
    const other = tryReadArtefact(triggersSchema, benchmarkPaths(folder).triggers)
    if (other === null || other.options.stop_early || other.skill_name !== plan.skill.name) continue
    if (isSameEngine(other.engine, plan)) return other.results.flatMap(({ query_runs }) => query_runs)
  }
  return []
}

/** More runs do not improve the mean. */
const mostRuns = 200

async function readBenchedRuns(workspace: string, plan: Plan): Promise<RunAmounts[]> {
  for (const folder of await listBenchmarks(workspace)) {
    const other = await readPlan(folder).catch(() => null)
    if (other === null || other.skill.name !== plan.skill.name || !isSameEngine(other.options.engine, plan)) continue
    const runs = await readSkillRuns(folder, other, other.candidate_configuration)
    if (runs.some(({ outcome }) => outcome === 'triggered')) return runs
  }
  return []
}

async function readSkillRuns(folder: string, { runs, skill }: Plan, arm: Configuration): Promise<RunAmounts[]> {
  const asked = runs.filter(({ configuration }) => configuration === arm).slice(0, mostRuns)
  const made = await Promise.all(asked.map(async (spec) => ({ ...spec, stored: await readRun(folder, spec.run_id) })))
  return made.map(({ run_id, run_number, stored }) => {
    const record = stored?.record.status === 'completed' ? stored.record : null
    return toTriggerRun({ run_id, run_number, record, events: [] }, { skill: skill.name, stop: readStop })
  })
}

function isSameEngine({ name, model }: Plan['options']['engine'], { options: { engine } }: Plan): boolean {
  return name === engine.name && model === engine.model
}
