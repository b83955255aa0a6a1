/** Writes the evidence of a verifier's score, short. */
import type { VerifierTest } from '../../../../../schemas/verifier_test.ts'
import type { CheckDecision } from '../inputs/check_input.ts'
import { capText } from '../inputs/check_input.ts'

const mostFailures = 3

/** Decides by the score. `passAt`: the lowest that passes; absent: 1. */
export function decideByScore(
  { score, tests }: { score: number; tests?: readonly VerifierTest[] | undefined },
  passAt = 1,
): CheckDecision {
  const passed = score >= passAt
  return { passed, evidence: describeScore(score, tests), score, ...(tests && { tests: [...tests] }) }
}

/** Such as: Score 0.5: 1 of 2 tests passed; failed: adds (41 is not 42). */
export function describeScore(score: number, tests: readonly VerifierTest[] = []): string {
  const failed = tests.filter(({ passed }) => !passed)
  const counts = tests.length === 0 ? '' : `: ${tests.length - failed.length} of ${tests.length} tests passed`
  return `Score ${formatScore(score)}${counts}${failed.length === 0 ? '' : `; failed: ${nameFailures(failed)}`}`
}

function nameFailures(failed: readonly VerifierTest[]): string {
  const shown = failed.slice(0, mostFailures).map(({ name, message }) => {
    const line = message?.split('\n')[0]
    return `${capText(name, 60)}${line === undefined ? '' : ` (${capText(line, 80)})`}`
  })
  const more = failed.length > mostFailures ? ` and ${failed.length - mostFailures} more` : ''
  return `${shown.join(', ')}${more}`
}

/** Never 1 for a score below it. */
function formatScore(score: number): string {
  const rounded = Math.round(score * 1000) / 1000
  return rounded === 1 && score < 1 ? '>0.999' : String(rounded)
}
