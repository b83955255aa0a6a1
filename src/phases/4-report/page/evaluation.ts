/** The headline of an eval page: how many cases pass. */
import type { EvalSummary } from '../../../../schemas/eval_result.ts'
import type { PageExtras, PageSaid } from '../../../../schemas/page.ts'
import { formatPlural } from '../text/format.ts'

/** Empty if there is no eval, or if it can't be read. */
export function describeEvaluation(evaluation: PageExtras['evaluation']): Partial<PageSaid> {
  if (evaluation === undefined || !('value' in evaluation)) return {}
  return { headline: evaluationHeadline(evaluation.value.summary), sureness: [] }
}

/** "3 of 4 cases pass, 1 fails." */
export function evaluationHeadline({ total, passed, failed, skipped }: EvalSummary): string {
  const parts = [
    `${passed} of ${formatPlural(total, 'case')} ${passed === 1 ? 'passes' : 'pass'}`,
    ...(failed > 0 ? [`${failed} ${failed === 1 ? 'fails' : 'fail'}`] : []),
    ...(skipped > 0 ? [`${skipped} ${skipped === 1 ? 'has' : 'have'} no verdict`] : []),
  ]
  return `${parts.join(', ')}.`
}
