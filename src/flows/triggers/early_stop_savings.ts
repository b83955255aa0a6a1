/** Reads the cost of runs in this workspace that were not stopped early, to estimate what stopping early saves. */
import type { Configuration, Plan } from '../../../schemas/plan.ts'
import { triggers as triggersSchema } from '../../../schemas/triggers.ts'
import { readStop } from '../../engines/answers/stop_at_read.ts'
import type { RunAmounts, WholeRuns } from '../../phases/4-report/triggers/early_stop_savings.ts'
import { toTriggerRun } from '../../phases/4-report/triggers/run_entry.ts'
import { tryReadArtefact } from '../../store/artefacts/damage.ts'
import { benchmarkPaths } from '../../store/paths.ts'
import { listBenchmarks, readPlan, readRun } from '../../store/store.ts'

/** From the newest suitable measurement, else the newest suitable benchmark, of this skill on this engine. */
export async function readSavingBasis(workspace: string, plan: Plan): Promise<WholeRuns> {
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
