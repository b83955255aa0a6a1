/** Changes a plan's judge only after its first grading; until then the plan names the judge of the existing verdicts. */
import { type Plan, plan as planSchema } from '../../../schemas/plan.ts'
import { canonicalJson } from '../../base/json/json.ts'
import { benchmarkPaths } from '../../store/paths.ts'
import { writeArtefact } from '../../store/store.ts'

interface Adoption {
  /** The plan as on disk. */
  readonly plan: Plan
  /** Writes the new judge into plan.json; later calls do nothing. */
  adopt: () => Promise<void>
}

/** Writes the criteria of the `wanted` plan at once, and its judge too if it is the same or not needed. */
export async function openAdoption(folder: string, before: Plan, wanted: Plan): Promise<Adoption> {
  const file = benchmarkPaths(folder).plan
  const isSame = canonicalJson(before.options) === canonicalJson(wanted.options)
  const isAsked = wanted.cases.some(({ expectations }) => expectations.length > 0)
  const known = new Set(before.warnings.map(({ message }) => message))
  const warnings = wanted.warnings.filter((one) => one.file !== '--judge' || known.has(one.message))
  let plan = isSame || !isAsked ? wanted : { ...wanted, options: before.options, warnings }
  await writeArtefact(planSchema, file, plan)
  let adopting: Promise<void> | null = plan === wanted ? Promise.resolve() : null
  return {
    get plan() {
      return plan
    },
    adopt() {
      plan = wanted
      adopting ??= writeArtefact(planSchema, file, wanted)
      return adopting
    },
  }
}
