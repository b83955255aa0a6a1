/** Reads a server's list of models, and suggests one for a model that it does not have. */
import { findNearest } from '../../base/text/did_you_mean.ts'

/** The ids in { data: [{ id }, …] }; null: the body is something else. */
export function findModelIds(body: unknown): string[] | null {
  if (typeof body !== 'object' || body === null || !('data' in body) || !Array.isArray(body.data)) return null
  return body.data.flatMap((one: unknown) =>
    typeof one === 'object' && one !== null && 'id' in one && typeof one.id === 'string' ? one.id : [],
  )
}

/** A hint that names --model. */
export function suggestModel(model: string, known: readonly string[]): string {
  const [near] = findNearest(model, known, 1)
  if (near !== undefined) return `did you mean --model ${near}?`
  const some = known.slice(0, 5).join(', ')
  return some === '' ? 'check the model id in --model' : `set --model to one of ${some}${known.length > 5 ? ', …' : ''}`
}
