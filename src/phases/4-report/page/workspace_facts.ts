/** One sentence each on the triggers, description and history of a workspace, for a page head and an index. */
import type { Description } from '../../../../schemas/description.ts'
import type { History } from '../../../../schemas/history.ts'
import type { Known, PageExtras } from '../../../../schemas/page.ts'
import type { TriggerMatrix } from '../../../../schemas/trigger_matrix.ts'
import type { Triggers } from '../../../../schemas/triggers.ts'
import { behavingText, formatPercent, formatPlural } from '../text/format.ts'

export type WorkspaceExtras = Pick<PageExtras, 'triggers' | 'trigger_matrix' | 'history' | 'description' | 'prune'>

/** The page tab that shows it, and the sentence. */
export interface ExtrasSentence {
  tab: 'triggers' | 'improve' | 'prune'
  text: string
}

export function describeExtras({
  triggers,
  trigger_matrix,
  history,
  description,
  prune,
}: WorkspaceExtras): ExtrasSentence[] {
  return [
    ...toExtrasSentence('triggers', triggers, triggersText),
    ...toExtrasSentence('triggers', trigger_matrix, manySkillsText),
    ...toExtrasSentence('triggers', description, descriptionText),
    ...toExtrasSentence('improve', history, historyText),
    ...toExtrasSentence('prune', prune, ({ sentence }) => `Prune: ${sentence}`),
  ]
}

export function listExtrasSentences(beside: WorkspaceExtras): string[] {
  return describeExtras(beside).map(({ text }) => text)
}

function toExtrasSentence<T>(
  tab: ExtrasSentence['tab'],
  found: Known<T> | undefined,
  text: (value: T) => string,
): ExtrasSentence[] {
  if (found === undefined) return []
  return [{ tab, text: 'value' in found ? text(found.value) : `${tab}: unknown format.` }]
}

function triggersText({ summary, metrics, complete }: Triggers): string {
  const { passed, total } = summary
  const rates = [
    ...(metrics.recall === null ? [] : [`recall ${formatPercent(metrics.recall.value)}`]),
    ...(metrics.precision === null ? [] : [`precision ${formatPercent(metrics.precision.value)}`]),
  ]
  const known = rates.length === 0 ? '' : ` (${rates.join(', ')})`
  return `Triggers: ${behavingText(passed, total)}${known}${complete ? '' : '; incomplete'}.`
}

export function matrixSentences({ summary, skills }: Pick<TriggerMatrix, 'summary' | 'skills'>): string[] {
  const { thefts, lowest_recall, queries } = summary
  const thieves = skills.filter(({ takes_from }) => takes_from.length > 0).map(({ name }) => name)
  const verb = thieves.length === 1 ? 'takes' : 'take'
  const verdict =
    thefts === 0
      ? 'No skill is shown to take queries of another.'
      : `${formatPlural(thieves.length, 'skill')} ${verb} queries of other skills: ${thieves.join(', ')}.`
  const lowest = lowest_recall === null ? '' : `; the lowest recall is ${formatPercent(lowest_recall)}`
  return [verdict, `${skills.length} skills, ${queries} ${queries === 1 ? 'query' : 'queries'}${lowest}.`]
}

function manySkillsText(matrix: TriggerMatrix): string {
  return `Triggers: ${matrixSentences(matrix).join(' ')}${matrix.complete ? '' : ' Incomplete.'}`
}

function descriptionText({ attempts, accepted, reason }: Description): string {
  const tried = formatPlural(attempts.filter(({ round }) => round > 0).length, 'description')
  return `Description: ${tried} tried, ${accepted ? 'one is accepted' : 'none is accepted'}: ${reason}`
}

function historyText({ iterations, current_best, certification, rounds = [], stopped }: History): string {
  if (certification != null) return `Improve: ${certification.sentence}`
  const tried = formatPlural(Math.max(0, iterations.length - 1), 'version')
  if (certification === null) return `Improve: nothing to certify; ${tried} tried.`
  const isRunning = rounds.length > 0 && stopped === undefined
  return `Improve: ${tried} tried; the best is ${current_best}${isRunning ? '; still running' : ''}.`
}
