/** Writes rank.json, rank.md and rank.html. */
import { type Rank, rank as rankSchema } from '../../../schemas/rank.ts'
import { writeAtomic } from '../../base/fs/durable_files.ts'
import { getRedactor } from '../../base/secrets/redact.ts'
import { rankHtml, rankMarkdown } from '../../phases/4-report/index/rank_page.ts'
import { rankPaths } from '../../store/paths.ts'
import { writeArtefact } from '../../store/store.ts'
import type { FlowContext } from '../flow_context.ts'

/** Returns the ranking as it is written, without secrets. */
export async function writeRankFiles(folder: string, built: Rank, { env }: Pick<FlowContext, 'env'>): Promise<Rank> {
  const rank = getRedactor(env).value(built)
  const paths = rankPaths(folder)
  await writeArtefact(rankSchema, paths.rank, rank)
  await writeAtomic(paths.markdown, rankMarkdown(rank))
  await writeAtomic(paths.page, rankHtml(rank))
  return rank
}
