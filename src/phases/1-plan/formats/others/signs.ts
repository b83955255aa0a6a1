/** What tells the documents of one system from those of another. */
import { isJsonObject } from '../evals_json/fields.ts'

/** Whether the document has one of these lists with an item like this. */
export function hasItems(document: unknown, names: readonly string[], isLike: (item: unknown) => boolean): boolean {
  return isJsonObject(document) && names.some((name) => hasItemLike(document[name], isLike))
}

function hasItemLike(value: unknown, isLike: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.some(isLike)
}

export function hasField(document: unknown, names: readonly string[]): boolean {
  return isJsonObject(document) && names.some((name) => document[name] !== undefined && document[name] !== null)
}
