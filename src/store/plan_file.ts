/** Writes plan.json run by run: a plan of very many runs is never in memory once more, as a text or as a checked copy. */
import { type Plan, plan as planSchema, runSpec } from '../../schemas/plan.ts'
import { writeAtomic } from '../base/files.ts'
import { checkAs } from '../base/json.ts'
import { benchmarkPaths } from './paths.ts'

/** The bytes are those of every artefact; each run is checked before it is written. */
export async function writePlanFile(folder: string, plan: Plan): Promise<void> {
  const file = benchmarkPaths(folder).plan
  await writeAtomic(file, planText(plan, file))
}

/** Runs that are written at once. */
const together = 200

function* planText(plan: Plan, file: string): Generator<string> {
  const frame = JSON.stringify(checkAs(planSchema, { ...plan, runs: [] }, file), null, 2)
  if (plan.runs.length === 0) return yield `${frame}\n`
  const place = '\n  "runs": []' // nowhere else: in a text the line break would be escaped
  const at = frame.indexOf(place)
  yield `${frame.slice(0, at)}\n  "runs": [`
  for (let first = 0; first < plan.runs.length; first += together) {
    const texts = plan.runs.slice(first, first + together).map((run) => {
      const text = JSON.stringify(checkAs(runSpec, run, `${file}, ${run.run_id}`), null, 2)
      return `\n    ${text.replaceAll('\n', '\n    ')}`
    })
    yield `${first === 0 ? '' : ','}${texts.join(',')}`
  }
  yield `\n  ]${frame.slice(at + place.length)}\n`
}
