/** Fails the runs that another model answered than the first one: a provider or an agent may change the model, and then a difference is not the skill's. */
import type { CountedRecord } from '../../../../schemas/run.ts'
import type { AggregateInput, RunWithGrading } from './aggregate_input.ts'

/** The results, with those runs as failed. Recorded sessions may have any model. */
export function failOtherModels({ results, observational }: AggregateInput): AggregateInput['results'] {
  const answered = [...results.values()].flatMap(({ record }) => (record?.status === 'completed' ? record : []))
  const [first] = answered
    .filter(({ engine }) => engine.model !== null)
    .sort((a, b) => (a.ended_at < b.ended_at ? -1 : 1))
  if (first === undefined || observational) return results
  return new Map([...results].map(([id, result]) => [id, failOther(result, first)]))
}

function failOther(result: RunWithGrading, { engine: { name, model } }: CountedRecord): RunWithGrading {
  const { record } = result
  if (record?.status !== 'completed' || record.engine.model === null || record.engine.model === model) return result
  const message = `${name} answered with ${record.engine.model}, and the first run with ${model}: bench again with --fresh, and name one model with --model`
  return { ...result, record: { ...record, status: 'failed', error: { kind: 'setup', message } } }
}
