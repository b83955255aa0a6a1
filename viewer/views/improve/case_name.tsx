/** A case by its id and name, with a link where this page has the case. */
import type { Model } from '../../data/model.ts'
import { routeLink } from '../../route.ts'

export function CaseName({ model, evalId }: { model: Model; evalId: number }) {
  const one = model.page.cases[model.caseAt(evalId)]
  if (one === undefined || model.page.without_benchmark === true) return <>Case {evalId}</>
  return (
    <a href={routeLink(['case', evalId])}>
      {evalId} <bdi>{one.eval_name}</bdi>
    </a>
  )
}
