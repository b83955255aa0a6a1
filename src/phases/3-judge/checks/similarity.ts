/** similarity: the final answer, or an output file, is similar enough to a reference text. */
import type { CheckOf } from '../../../../schemas/check.ts'
import type { CheckContext, CheckVerdict } from './inputs/check_input.ts'
import { readSource } from './inputs/checked_text.ts'
import { capText, failUnreadable } from './inputs/evidence.ts'
import { measureLikeness } from './inputs/text_similarity.ts'

export async function decideSimilarity(check: CheckOf<'similarity'>, context: CheckContext): Promise<CheckVerdict> {
  if (check.value === undefined) return { error: `the reference ${check.file} could not be read` }
  const source = await readSource(check.path, context)
  if ('verdict' in source) return source.verdict
  const algorithm = check.algorithm ?? 'words'
  const plain = (text: string) => (check.ignore_case === true ? text.toLowerCase() : text)
  const found = measureLikeness(algorithm, plain(source.text), plain(check.value))
  if ('error' in found) {
    const why = `${source.label} could not be compared: ${found.error}`
    const isOwn = 'error' in measureLikeness(algorithm, check.value, check.value)
    return isOwn ? { error: `${why}; so is the reference` } : failUnreadable(why)
  }
  const share = Math.floor(found.share * 1000) / 1000
  const said = `${source.label}: similarity to the reference ${share} (${algorithm})`
  if (found.share >= check.at_least) return { passed: true, evidence: said }
  const begins = `; it begins "${capText(source.text.trim(), 120)}"`
  return { passed: false, evidence: `${said}, not at least ${check.at_least}${begins}` }
}
