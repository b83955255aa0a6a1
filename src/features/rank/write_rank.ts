/** Writes rank.json, rank.md and rank.html. */
import { type Rank, rank as rankSchema } from '../../../schemas/rank.ts'
import { writeAtomic } from '../../base/fs/durable_files.ts'
import { getRedactor } from '../../base/secrets/redact.ts'
import { makeVisible } from '../../base/text/show_control_characters.ts'
import type { FlowContext } from '../../flows/flow_context.ts'
import { tablesHtml } from '../../phases/4-report/page/tables_page.ts'
import { markdownSections } from '../../phases/4-report/text/markdown.ts'
import { rankPaths } from '../../store/paths.ts'
import { writeArtefact } from '../../store/store.ts'
import { rankHint, rankTables } from './rank_text.ts'

/** Returns the ranking as it is written, without secrets. */
export async function writeRankFiles(folder: string, built: Rank, { env }: Pick<FlowContext, 'env'>): Promise<Rank> {
  const rank = getRedactor(env).value(built)
  const paths = rankPaths(folder)
  await writeArtefact(rankSchema, paths.rank, rank)
  await writeAtomic(
    paths.markdown,
    markdownSections(rank.sentence, { notes: rankNotes(rank), sections: rankTables(rank) }),
  )
  await writeAtomic(paths.page, rankHtml(rank))
  return rank
}

/** What is wrong or preliminary, then what the columns mean. */
function rankNotes(rank: Rank): string[] {
  return [
    ...(rank.incomplete_reason === null ? [] : [`INCOMPLETE: ${rank.incomplete_reason}`]),
    ...rank.warnings,
    rankHint(rank),
  ]
}

function rankHtml(rank: Rank): string {
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
