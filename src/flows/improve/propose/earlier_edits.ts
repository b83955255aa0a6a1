/** What a proposer learns of earlier rounds: each edit with its effect on training cases. Refusals that could show held-out text name only their rule. */
import type { ProposedEdit } from '../../../../schemas/history/round.ts'
import type { History } from '../../../../schemas/history.ts'
import { formatPoints } from '../../../phases/4-report/text/format.ts'

const most = 40
const lineChars = 400

/** One line for each edit that is not in the version so far. */
export function describeDropped({ rounds = [] }: Pick<History, 'rounds'>): string[] {
  const dropped = listEdits(rounds).filter(({ kept, refused }) => !kept && refused?.rule !== 'overlap')
  return dropped.slice(-most).map((edit) => `${edit.summary}: ${resultText(edit)}`.slice(0, lineChars))
}

/** Markdown: summary, effect, effect per training case and diff of each; null: no edit was tried yet. */
export function describeEarlierEdits({ rounds = [] }: Pick<History, 'rounds'>): string | null {
  const edits = listEdits(rounds).slice(-most)
  if (edits.length === 0) return null
  const parts = edits.flatMap((edit) => [
    `## Edit ${edit.id}: ${edit.summary}`,
    '',
    `${edit.kept ? 'Kept' : 'Not kept'}: ${resultText(edit)}.`,
    ...casesText(edit),
    '',
    ...(edit.refused === undefined ? ['```diff', edit.diff, '```', ''] : []),
  ])
  return ['# Edits of earlier rounds', '', ...parts].join('\n')
}

function listEdits(rounds: NonNullable<History['rounds']>): ProposedEdit[] {
  return rounds.flatMap(({ proposals }) => proposals.flatMap(({ edits }) => edits))
}

function resultText({ refused, effect, runs_with }: ProposedEdit): string {
  if (refused?.rule === 'leakage') return 'refused: it contained text of tasks that judge the skill'
  if (refused?.rule === 'games_judge') return 'refused: it addressed the judge'
  if (refused !== undefined) return `refused (${refused.rule}): ${refused.reason}`
  if (effect === null) return 'it did not run'
  return `${formatPoints(effect)} on training cases in ${runs_with} runs with it`
}

function casesText({ cases }: ProposedEdit): string[] {
  const percent = (rate: number | null) => (rate === null ? '–' : `${Math.round(100 * rate)}%`)
  const known = cases.filter((one) => one.with !== null && one.without !== null)
  if (known.length === 0) return []
  return [
    known.map((one) => `case-${one.eval_id}: ${percent(one.with)} with, ${percent(one.without)} without`).join('; '),
  ]
}
