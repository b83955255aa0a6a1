/** The title of the browser's tab: the view, with the name of its case and run. */
import type { Model } from './data/model.ts'
import { displayArm, revealHidden } from './format.ts'
import type { Route } from './route.ts'
import { activeTab, listTabs } from './tabs.tsx'

export function pageTitle(model: Model, route: Route): string {
  return revealHidden(`${viewTitle(model, route)} · ${model.page.benchmark.metadata.skill_name}`)
}

function viewTitle(model: Model, route: Route): string {
  const [view, id, arm, number] = route.path
  const one = model.page.cases[model.caseAt(Number(id))]
  if (one !== undefined && view === 'case') return `${one.eval_id} ${one.eval_name}`
  if (one !== undefined && view === 'run') return `${one.eval_id} ${one.eval_name}, ${displayArm(arm ?? '')} ${number}`
  return listTabs(model).find(({ name }) => name === activeTab(model, route))?.label ?? 'Not found'
}
