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
  #last: T | null = null

  of(value: T): T {
    if (this.#last === null || !isSame(value, this.#last)) this.#last = this.#found(value)
    return this.#last
  }

  #found(value: T): T {
    const text = JSON.stringify(value)
    if (text.length > most.characters) return value
    const known = this.#known.get(text)
    if (known !== undefined) return known
    if (this.#known.size < most.values) this.#known.set(text, value)
    return value
  }
}

/** Whether two values give the same JSON; cheaper than to make it, where a run is like the one before. */
function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  if (Array.isArray(one) !== Array.isArray(other)) return false
  const [names, others] = [Object.keys(one), Object.keys(other)]
  if (names.length !== others.length) return false
  return names.every((name, at) => name === others[at] && isSame(Reflect.get(one, name), Reflect.get(other, name)))
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
    const held = {
      ...counted,
      expectations: expectations.of(grading.expectations),
      summary: summaries.of(grading.summary),
      ...(execution_metrics && { execution_metrics: numbers.of(execution_metrics) }),
    }
    // no whole is known where its largest part is new
    return held.expectations === grading.expectations ? held : gradings.of(held)
  }
  // every field is named: what a spread begins has a hidden class of its own in V8
  return ({ record, grading, timing, metrics }, spec, whole) => ({
    // the plan has this text already
    record: { ...record, key: spec.key, engine: engines.of(record.engine), skill: skills.of(record.skill) },
    grading: grading === null || whole ? grading : small(grading),
    timing,
    metrics,
  })
}
