/** The views: one tab for each part that this benchmark has. */

import type { ComponentChildren } from 'preact'
import type { Model } from './data/model.ts'
import { ownEntry } from './data/own_property.ts'
import { type Route, routeLink } from './route.ts'
import { AuditView, hasAudit } from './views/audit/audit.tsx'
import { CaseView } from './views/case/case.tsx'
import { Compare, hasComparisons } from './views/compare/compare.tsx'
import { FleetView, hasFleet } from './views/fleet.tsx'
import { hasHistory, Improve } from './views/improve/improve.tsx'
import { Overview } from './views/overview/overview.tsx'
import { hasPrune, PruneView } from './views/prune.tsx'
import { RunView } from './views/run/run.tsx'
import { Runs } from './views/run/runs.tsx'
import { hasTrend, TrendView } from './views/trend.tsx'
import { hasTriggers, TriggersView } from './views/triggers/triggers.tsx'

interface Tab {
  name: string
  label: string
  address: string
}

interface View {
  /** null: no tab. */
  label: string | null
  present(model: Model): boolean
  draw(model: Model, route: Route): ComponentChildren
}

const hasBenchmark = ({ page }: Model) => page.without_benchmark !== true

const views: Record<string, View> = {
  '': { label: 'Overview', present: hasBenchmark, draw: (model, route) => <Overview model={model} route={route} /> },
  runs: { label: 'Runs', present: hasBenchmark, draw: (model, route) => <Runs model={model} route={route} /> },
  compare: {
    label: 'Compare',
    present: hasComparisons,
    draw: (model, route) => <Compare model={model} route={route} />,
  },
  audit: { label: 'Audit', present: hasAudit, draw: (model, route) => <AuditView model={model} route={route} /> },
  triggers: {
    label: 'Triggers',
    present: hasTriggers,
    draw: (model, route) => <TriggersView model={model} route={route} />,
  },
  improve: { label: 'Improve', present: hasHistory, draw: (model, route) => <Improve model={model} route={route} /> },
  prune: { label: 'Prune', present: hasPrune, draw: (model) => <PruneView model={model} /> },
  trend: { label: 'Trend', present: hasTrend, draw: (model) => <TrendView model={model} /> },
  fleet: { label: 'Fleet', present: hasFleet, draw: () => <FleetView /> },
  case: { label: null, present: hasBenchmark, draw: (model, route) => <CaseView model={model} route={route} /> },
  run: { label: null, present: hasBenchmark, draw: (model, route) => <RunView model={model} route={route} /> },
}

export function listTabs(model: Model): Tab[] {
  return Object.entries(views).flatMap(([name, { label, present }]) =>
    label !== null && present(model) ? [{ name, label, address: routeLink(name === '' ? [] : [name]) }] : [],
  )
}

/** The page starts with its overview, or without a benchmark with its first tab. */
function viewName(model: Model, { path: [first = ''] }: Route): string {
  return first === '' && !hasBenchmark(model) ? (listTabs(model)[0]?.name ?? '') : first
}

/** The tab of a view. */
export function activeTab(model: Model, route: Route): string {
  const name = viewName(model, route)
  return name === 'case' ? '' : name === 'run' ? 'runs' : name
}

export function renderView(model: Model, route: Route): ComponentChildren {
  const view = ownEntry(views, viewName(model, route))
  if (view?.present(model)) return view.draw(model, route)
  const [first] = listTabs(model)
  return (
    <p class="empty">
      This page does not have this view. {first !== undefined && <a href={first.address}>Go to {first.label}</a>}
    </p>
  )
}
