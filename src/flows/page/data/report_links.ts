/** Links the pages of related benchmarks: of versions, and of points in the trend, where they exist. */
import path from 'node:path'
import type { Page } from '../../../../schemas/page.ts'
import { findOwnFile } from '../../../base/fs/inside_folder.ts'

/** Relative URLs from `folder` (this benchmark's, in the workspace), by the other folder's name, such as 2026-01-15T10-30-00Z. */
export function addReports({ extras }: Pick<Page, 'extras'>, folder: string, workspace: string): void {
  const { history, trend } = extras
  const ofHistory = history !== undefined && 'value' in history ? history.value.iterations : []
  const ofTrend = trend !== undefined && 'value' in trend ? trend.value.points : []
  const names = [
    ...ofHistory.flatMap(({ benchmarks = {} }) => Object.values(benchmarks)),
    ...ofTrend.map((point) => point.folder),
  ].flatMap((name) => (typeof name === 'string' ? path.basename(name) : []))
  const found = [...new Set(names)].flatMap((name) => {
    const file = findOwnFile(workspace, path.join('benchmarks', name, 'report.html'))
    if (file === null || path.dirname(file) === folder) return []
    return [[name, path.relative(folder, file).split(path.sep).map(encodeURIComponent).join('/')]]
  })
  if (found.length > 0) extras.reports = Object.fromEntries(found)
}
