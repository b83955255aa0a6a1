/** What lies beside the benchmarks of a workspace, a sentence each, for the head of a page and for an index. */
import type { Description } from '../../../../schemas/description.ts'
import type { History } from '../../../../schemas/history.ts'
import type { Known, PageExtras } from '../../../../schemas/page.ts'
import type { Triggers } from '../../../../schemas/triggers.ts'
import { behaving, percent, plural } from '../words.ts'

export type Beside = Pick<PageExtras, 'triggers' | 'history' | 'description'>

/** The tab of a page that shows it, and what it says. */
export interface BesideSaid {
  tab: 'triggers' | 'improve'
  text: string
}

export function besideSaid({ triggers, history, description }: Beside): BesideSaid[] {
  return [
    ...said('triggers', triggers, triggersText),
    ...said('triggers', description, descriptionText),
    ...said('improve', history, historyText),
  ]
}

export function besideSentences(beside: Beside): string[] {
  return besideSaid(beside).map(({ text }) => text)
}

function said<T>(tab: BesideSaid['tab'], found: Known<T> | undefined, text: (value: T) => string): BesideSaid[] {
  if (found === undefined) return []
  return [{ tab, text: 'value' in found ? text(found.value) : `${tab}: of no known form.` }]
}

function triggersText({ summary, metrics, complete }: Triggers): string {
  const { passed, total } = summary
  const rates = [
    ...(metrics.recall === null ? [] : [`recall ${percent(metrics.recall.value)}`]),
    ...(metrics.precision === null ? [] : [`precision ${percent(metrics.precision.value)}`]),
  ]
  const known = rates.length === 0 ? '' : ` (${rates.join(', ')})`
  return `Triggers: ${behaving(passed, total)}${known}${complete ? '' : '; incomplete'}.`
}

function descriptionText({ attempts, accepted, reason }: Description): string {
  const tried = plural(attempts.filter(({ round }) => round > 0).length, 'description')
  return `Description: ${tried} tried, ${accepted ? 'one is accepted' : 'none is accepted'}: ${reason}`
}

function historyText({ iterations, current_best, test }: History): string {
  if (test != null) return `Improve: ${test.sentence} points.`
  return `Improve: ${plural(Math.max(0, iterations.length - 1), 'version')} tried; the best is ${current_best}.`
}
