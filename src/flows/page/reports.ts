/** The pages of other benchmarks that this one speaks of: those of versions and of points of the trend, where they lie. */
import path from 'node:path'
import type { Page } from '../../../schemas/page.ts'
import { ownFile } from '../../base/own_file.ts'

/** Relative addresses from `folder` (of this benchmark, in the workspace), by the name of the other's folder, such as 2026-01-15T10-30-00Z. */
export function addReports({ extras }: Pick<Page, 'extras'>, folder: string, workspace: string): void {
  const { history, trend } = extras
  const ofHistory = history !== undefined && 'value' in history ? history.value.iterations : []
  const ofTrend = trend !== undefined && 'value' in trend ? trend.value.points : []
  const names = [
    ...ofHistory.flatMap(({ benchmarks = {} }) => Object.values(benchmarks)),
    ...ofTrend.map((point) => point.folder),
  ].flatMap((name) => (typeof name === 'string' ? path.basename(name) : []))
  const found = [...new Set(names)].flatMap((name) => {
    const file = ownFile(workspace, path.join('benchmarks', name, 'report.html'))
    if (file === null || path.dirname(file) === folder) return []
    return [[name, path.relative(folder, file).split(path.sep).map(encodeURIComponent).join('/')]]
  })
  if (found.length > 0) extras.reports = Object.fromEntries(found)
}
