/** What runs that nobody ended took, in this workspace: the basis of what ending them early saves. */
import type { Configuration, Plan } from '../../../schemas/plan.ts'
import { triggers as triggersSchema } from '../../../schemas/triggers.ts'
import { readStop } from '../../engines/stop_at_read.ts'
import { triggerRunOf } from '../../phases/4-report/triggers/run_entry.ts'
import type { RunAmounts, WholeRuns } from '../../phases/4-report/triggers/saving.ts'
import { readIf } from '../../store/damage.ts'
import { benchmarkPaths } from '../../store/paths.ts'
import { listBenchmarks, readPlan, readRun } from '../../store/store.ts'

/** Of the newest measurement and the newest benchmark of this skill on this engine that have some. */
export async function savingBasis(workspace: string, plan: Plan): Promise<WholeRuns> {
  const measured = await measuredRuns(workspace, plan)
  return { measured, benched: measured.length > 0 ? [] : await benchedRuns(workspace, plan) }
}

/** Of measurements in which runs were let go on. */
async function measuredRuns(workspace: string, plan: Plan): Promise<RunAmounts[]> {
  for (const folder of await listBenchmarks(workspace, 'triggers')) {
    const other = readIf(triggersSchema, benchmarkPaths(folder).triggers)
    if (other === null || other.options.stop_early || other.skill_name !== plan.skill.name) continue
    if (isSameEngine(other.engine, plan)) return other.results.flatMap(({ query_runs }) => query_runs)
  }
  return []
}

/** More of them make a mean no better. */
const mostRuns = 200

async function benchedRuns(workspace: string, plan: Plan): Promise<RunAmounts[]> {
  for (const folder of await listBenchmarks(workspace)) {
    const other = await readPlan(folder).catch(() => null)
    if (other === null || other.skill.name !== plan.skill.name || !isSameEngine(other.options.engine, plan)) continue
    const runs = await withSkill(folder, other, other.candidate_configuration)
    if (runs.some(({ outcome }) => outcome === 'triggered')) return runs
  }
  return []
}

async function withSkill(folder: string, { runs, skill }: Plan, arm: Configuration): Promise<RunAmounts[]> {
  const asked = runs.filter(({ configuration }) => configuration === arm).slice(0, mostRuns)
  const made = await Promise.all(asked.map(async (spec) => ({ ...spec, stored: await readRun(folder, spec.run_id) })))
  return made.map(({ run_id, run_number, stored }) => {
    const record = stored?.record.status === 'completed' ? stored.record : null
    return triggerRunOf({ run_id, run_number, record, events: [] }, { skill: skill.name, stop: readStop })
  })
}

function isSameEngine({ name, model }: Plan['options']['engine'], { options: { engine } }: Plan): boolean {
  return name === engine.name && model === engine.model
}
