/** Writes index.json, index.md and index.html over several benchmarks. */
import path from 'node:path'
import { type BenchmarkIndex, benchmarkIndex, type IndexRow } from '../../schemas/benchmark_index.ts'
import { writeAtomic } from '../base/durable.ts'
import { IncompleteError, messageOf, UserError } from '../base/error.ts'
import { indexHtml, indexMarkdown } from '../phases/4-report/index_page.ts'
import { failedRow, indexRow, inIndexOrder, withHolm } from '../phases/4-report/index_row.ts'
import { besideSaid } from '../phases/4-report/page/beside_said.ts'
import { usualOptions } from '../phases/4-report/stats/options.ts'
import { indexPaths } from '../store/paths.ts'
import { writeArtefact } from '../store/store.ts'
import type { OneEnd } from './bench_many.ts'
import { auditWorkspace } from './label.ts'
import { workspaceExtras } from './page/workspace.ts'

export interface IndexRequest {
  ends: readonly OneEnd[]
  judge: string | null
  now: Date
  /** The benchmarks are calibrations. */
  calibrations?: boolean
}

export async function writeIndex(
  root: string,
  { ends, judge, now, calibrations = false }: IndexRequest,
): Promise<BenchmarkIndex> {
  const { alpha } = usualOptions
  const rows = withHolm(inIndexOrder(ends.map((end) => rowOf(root, end))), alpha)
  const created_at = now.toISOString()
  const index: BenchmarkIndex = {
    schema_version: 1,
    created_at,
    judge,
    ...(calibrations && { calibrations }),
    alpha,
    rows,
  }
  await storeIndex(root, index)
  return index
}

/** Writes index.json, index.md and index.html. */
export async function storeIndex(root: string, index: BenchmarkIndex): Promise<void> {
  const paths = indexPaths(root)
  await writeArtefact(benchmarkIndex, paths.index, index)
  await writeAtomic(paths.markdown, indexMarkdown(index))
  await writeAtomic(paths.page, indexHtml(index))
}

/** A row with what else its workspace holds now. */
export function withBeside(root: string, { beside: _before, ...row }: IndexRow): IndexRow {
  if (row.folder === null) return row
  const beside = besideSaid(workspaceExtras(auditWorkspace(path.join(root, row.folder))))
  return beside.length === 0 ? row : { ...row, beside }
}

function rowOf(root: string, end: OneEnd) {
  const { skill, cell } = end
  switch (end.status) {
    case 'benched': {
      const folder = path.relative(root, end.result.folder).replaceAll(path.sep, '/')
      return withBeside(root, indexRow({ skill, cell }, end.result.benchmark, folder))
    }
    case 'failed': {
      const { error } = end
      const fix = error instanceof UserError || error instanceof IncompleteError ? error.fix : null
      return failedRow({ skill, cell }, messageOf(error), fix)
    }
  }
}
