/** The final answer of a run; null: there is none. */
import type { RunDetail } from '../../schemas/page.ts'

export function finalAnswer(detail: RunDetail | null): string | null {
  const { record } = detail ?? {}
  const said =
    typeof record === 'object' && record !== null && 'final_response' in record ? record.final_response : null
  const last = detail?.events?.findLast(({ type }) => type === 'result' || type === 'assistant')?.text
  return typeof said === 'string' ? said : typeof last === 'string' ? last : null
}
