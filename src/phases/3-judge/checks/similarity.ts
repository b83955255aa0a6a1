/** similarity: the final answer, or an output file, is at least so like a reference text. */
import type { CheckOf } from '../../../../schemas/check.ts'
import { capped } from './evidence.ts'
import { alike } from './likeness.ts'
import type { CheckScene, CheckVerdict } from './scene.ts'
import { readSource } from './source.ts'

export async function similarity(check: CheckOf<'similarity'>, scene: CheckScene): Promise<CheckVerdict> {
  if (check.value === undefined) return { error: `the reference ${check.file} was not read` }
  const source = await readSource(check.path, scene)
  if ('verdict' in source) return source.verdict
  const algorithm = check.algorithm ?? 'words'
  const plain = (text: string) => (check.ignore_case === true ? text.toLowerCase() : text)
  const found = alike(algorithm, plain(source.text), plain(check.value))
  if ('error' in found) return { error: `${source.label} could not be compared: ${found.error}` }
  const share = Math.floor(found.share * 1000) / 1000
  const said = `${source.label}: likeness to the reference ${share} (${algorithm})`
  if (found.share >= check.at_least) return { passed: true, evidence: said }
  const begins = `; it begins "${capped(source.text.trim(), 120)}"`
  return { passed: false, evidence: `${said}, not at least ${check.at_least}${begins}` }
}
