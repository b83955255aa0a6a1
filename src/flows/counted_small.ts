/** Runs as the reports count them, held small: what is never counted is left out, and what many runs have in common is held once. */
import type { Grading } from '../../schemas/grading.ts'
import type { RunSpec } from '../../schemas/plan.ts'
import type { CountedRecord } from '../../schemas/run.ts'
import type { CountedRun } from '../store/store.ts'

/** Values that differ from run to run are looked for in vain: so many are remembered, of so many characters each. */
const most = { values: 2000, characters: 4000 }

/** Gives for each value the first one that was equal to it. What it gives is shared: nobody may change it. */
class Once<T> {
  readonly #known = new Map<string, T>()

  of(value: T): T {
    const text = JSON.stringify(value)
    if (text.length > most.characters) return value
    const known = this.#known.get(text)
    if (known !== undefined) return known
    if (this.#known.size < most.values) this.#known.set(text, value)
    return value
  }
}

/** Of a run of the plan, read from disk. `whole`: it is graded again, which is compared with its own grading. */
export type Small = (run: CountedRun, spec: RunSpec, whole: boolean) => CountedRun

export function holdSmall(): Small {
  const engines = new Once<CountedRecord['engine']>()
  const skills = new Once<CountedRecord['skill']>()
  const expectations = new Once<Grading['expectations']>()
  const summaries = new Once<Grading['summary']>()
  const numbers = new Once<NonNullable<Grading['execution_metrics']>>()
  const gradings = new Once<Grading>()
  const small = (grading: Grading): Grading => {
    const { claims: _claims, eval_feedback: _feedback, timing: _timing, graded_key: _key, ...counted } = grading
    const { execution_metrics } = grading
    return gradings.of({
      ...counted,
      expectations: expectations.of(grading.expectations),
      summary: summaries.of(grading.summary),
      ...(execution_metrics && { execution_metrics: numbers.of(execution_metrics) }),
    })
  }
  return ({ record, grading, ...rest }, spec, whole) => ({
    ...rest,
    // the plan has this text already
    record: { ...record, key: spec.key, engine: engines.of(record.engine), skill: skills.of(record.skill) },
    grading: grading === null || whole ? grading : small(grading),
  })
}
