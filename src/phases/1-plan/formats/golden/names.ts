/** Finds unknown frontmatter names in golden tests. A misspelt one is a mistake, because its content would be lost. */
import { formatJsonPath } from '../../../../base/json/json.ts'
import { findMisspelling } from '../../../../base/text/did_you_mean.ts'
import { isJsonObject } from '../evals_json/fields.ts'
import type { MarkdownFront } from '../markdown/front_matter.ts'

export interface FieldSlip {
  /** Path in the frontmatter. */
  path: readonly PropertyKey[]
  message: string
}

/** Returns misspelt fields of a frontmatter object and remarks on other unknown ones. `path`: the object's. */
export function fieldSlips(
  front: MarkdownFront,
  { path = [], known }: { path?: readonly PropertyKey[]; known: ReadonlySet<string> },
  remark: Remark,
): FieldSlip[] {
  const object = path.reduce<unknown>((inner, key) => Object(inner)[key], front.fields)
  return Object.keys(isJsonObject(object) ? object : {}).flatMap((name) => {
    if (known.has(name)) return []
    const own = [...path, name]
    const shown = formatJsonPath(own).slice(2)
    const meant = findMisspelling(name, [...known])
    if (meant !== null) return [{ path: own, message: misspellingText(`the field "${shown}"`, meant) }]
    remark(front.at(own).line, `the field ${shown} is not known and not read`)
    return []
  })
}

/** `check` recognises a slip by these words. */
export function misspellingText(what: string, meant: string): string {
  return `${what} is not known (did you mean "${meant}"?)`
}

export type Remark = (line: number, message: string) => void
