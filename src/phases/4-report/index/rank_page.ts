/** Writes `rank.html` and `rank.md`: contenders with their rank intervals, and the comparisons behind them. */
import type { Rank } from '../../../../schemas/rank.ts'
import { makeVisible } from '../../../base/text/show_control_characters.ts'
import { escapeMarkdown, markdownTable } from '../text/markdown.ts'
import { tablesHtml } from '../trend/trend_page.ts'
import { rankHint, rankTables } from './rank_text.ts'

/** What is wrong or preliminary, then what the columns mean. */
function rankNotes(rank: Rank): string[] {
  return [
    ...(rank.incomplete_reason === null ? [] : [`INCOMPLETE: ${rank.incomplete_reason}`]),
    ...rank.warnings,
    rankHint(rank),
  ]
}

export function rankHtml(rank: Rank): string {
  const sections = rankTables(rank).map((table) => ({
    ...table,
    rows: table.rows.map((row) => row.map(makeVisible)),
  }))
  return tablesHtml({
    title: 'Ranking',
    headline: makeVisible(rank.sentence),
    notes: rankNotes(rank).map(makeVisible),
    sections,
  })
}

export function rankMarkdown(rank: Rank): string {
  const sections = rankTables(rank).map(
    ({ title, header, rows }) => `## ${title}\n\n${markdownTable(header, rows, 'words')}`,
  )
  return `${[`# ${escapeMarkdown(rank.sentence)}`, ...rankNotes(rank).map(escapeMarkdown), ...sections].join('\n\n')}\n`
}
