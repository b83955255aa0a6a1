/** Finds misspelt dimension names in a rubric's weights and in the score demands of a test. */
import { dimensionKey } from '../../../../../schemas/rubric.ts'
import { findMisspelling } from '../../../../base/text/did_you_mean.ts'
import { markdownLines } from '../markdown/lines.ts'
import { type FieldSlip, misspellingText } from './names.ts'

/** Scored from the checked facts if the judge gives no score. */
const factDimension = 'factual_accuracy'

/** First weight whose name is near an unweighted heading, such as `## Output quality (60%)`; the judge's score would not count. */
export function weightSlip(weights: readonly string[], body: string): FieldSlip[] {
  const keys = weights.map(dimensionKey)
  const headings = markdownLines(body, 1).lines.flatMap(({ text, fenced }) => {
    const heading = fenced ? null : /^#{2,6}[ \t]+([^(:–—]*)/.exec(text)?.[1]
    return heading ? dimensionKey(heading.replaceAll(/[*`]/g, '')) : []
  })
  const unweighted = [...headings, factDimension].filter((key) => !keys.includes(key))
  for (const name of weights) {
    if (headings.includes(dimensionKey(name))) continue
    const meant = findMisspelling(dimensionKey(name), unweighted)
    if (meant !== null) return [{ path: ['weights', name], message: misspellingText(`the dimension "${name}"`, meant) }]
  }
  return []
}

/** Reports a bullet such as `output_qualty: ≥ 4` whose name is near a dimension; null: near none. */
export function bulletSlip(bullet: string, dimensions: readonly string[]): string | null {
  const [name = ''] = /^[\p{L}\p{N} _-]+/u.exec(bullet) ?? []
  const key = dimensionKey(name.replace(/\s*(?:at least)?\s*$/i, ''))
  const meant = findMisspelling(key, dimensions.map(dimensionKey))
  return meant === null ? null : misspellingText(`the dimension of the bullet "${bullet}"`, meant)
}
