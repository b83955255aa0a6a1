/** The last line of a verifier's output, such as `score: 0.75`. */
import { readScore, type VerifierResult } from './verifier_result.ts'

export function readScoreLine(output: string): VerifierResult {
  const line = output.trimEnd().split(/\r?\n/).at(-1) ?? ''
  const given = /^\s*score\s*[:=]\s*(\S+)\s*$/i.exec(line)?.[1]
  if (given === undefined) return { error: 'the last line of the output is not a score, such as "score: 0.75"' }
  const isNumber = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(given)
  return readScore(isNumber ? Number(given) : given, 'the score')
}
