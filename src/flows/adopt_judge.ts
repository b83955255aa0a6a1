/** The judge of a plan changes once a grading by the new one stands; until then the plan names whose verdicts are there. */
import { type Plan, plan as planSchema } from '../../schemas/plan.ts'
import { canonicalJson } from '../base/json.ts'
import { benchmarkPaths } from '../store/paths.ts'
import { writeArtefact } from '../store/store.ts'

interface Adoption {
  /** The plan as it is on disk. */
  readonly plan: Plan
  /** Puts the new judge into plan.json; a second time is nothing. */
  adopt: () => Promise<void>
}

/** Writes the criteria of the `wanted` plan now. Its judge too, where it is the same, or nobody is asked. */
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
