/** Changes a plan's judge only after its first grading; until then the plan names the judge of the existing verdicts. */
import { type Plan, plan as planSchema } from '../../../schemas/plan.ts'
import { canonicalJson } from '../../base/json/json.ts'
import { benchmarkPaths } from '../../store/paths.ts'
import type { ResultSigner } from '../../store/signing/signer.ts'
import { isOwnPlan, writeArtefact, writePlan } from '../../store/store.ts'

interface Adoption {
  /** The plan as on disk. */
  readonly plan: Plan
  /** Writes the new judge into plan.json; later calls do nothing. */
  adopt: () => Promise<void>
}

/** Somebody else's plan stays unsigned. Writes the criteria of the `wanted` plan at once, and its judge too if it is the same or not needed. */
export async function openAdoption(
  { folder, signer }: { folder: string; signer: ResultSigner },
  before: Plan,
  wanted: Plan,
): Promise<Adoption> {
  const file = benchmarkPaths(folder).plan
  const isOwn = isOwnPlan(folder, signer)
  const write = (value: Plan) => (isOwn ? writePlan(folder, value, signer) : writeArtefact(planSchema, file, value))
  const isSame = canonicalJson(before.options) === canonicalJson(wanted.options)
  const isAsked = wanted.cases.some(({ expectations }) => expectations.length > 0)
  const known = new Set(before.warnings.map(({ message }) => message))
  const warnings = wanted.warnings.filter((one) => one.file !== '--judge' || known.has(one.message))
  let plan = isSame || !isAsked ? wanted : { ...wanted, options: before.options, warnings }
  await write(plan)
  let adopting: Promise<void> | null = plan === wanted ? Promise.resolve() : null
  return {
    get plan() {
      return plan
    },
    adopt() {
      plan = wanted
      adopting ??= write(wanted)
      return adopting
    },
  }
}
