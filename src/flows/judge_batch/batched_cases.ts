/** Which gradings of a plan a judge answers in a batch, as far as that is known before the runs. */
import type { Plan } from '../../../schemas/plan.ts'

/**
 * The ids of the cases whose gradings are in a batch; empty without --judge-batch. A judge opens input files with its tools, and judges
 * of other formats ask in their own way, so these are asked directly; and so are runs that turn out to be too long or to have images.
 */
export function listBatchedCases({ cases }: Pick<Plan, 'cases'>, judgeBatch: boolean | undefined): ReadonlySet<number> {
  const batched = judgeBatch ? cases.filter(({ files, judging }) => files.length === 0 && judging === undefined) : []
  return new Set(batched.map(({ eval_id }) => eval_id))
}
