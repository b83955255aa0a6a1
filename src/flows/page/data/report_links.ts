/** Links the pages of related benchmarks: of versions, and of points in the trend, where they exist. */
import path from 'node:path'
import type { Page } from '../../../../schemas/page.ts'
import { findOwnFile } from '../../../base/fs/inside_folder.ts'

/** Relative URLs from `folder` (this benchmark's, in the workspace), by the other folder's name, such as 2026-01-15T10-30-00Z. */
export function addReports({ extras }: Pick<Page, 'extras'>, folder: string, workspace: string): void {
  const { history, trend } = extras
  const session = history !== undefined && 'value' in history ? history.value : null
  const { rounds = [], certification, confirmations = [] } = session ?? {}
  const ofTrend = trend !== undefined && 'value' in trend ? trend.value.points : []
  const names = [
    ...rounds.flatMap(({ benchmarks: { shown, mixes } }) => [...shown, mixes]),
    ...[certification, ...confirmations].map((one) => one?.benchmark),
    ...ofTrend.map((point) => point.folder),
  ].flatMap((name) => (typeof name === 'string' ? path.basename(name) : []))
  const found = [...new Set(names)].flatMap((name) => {
    const files = ['benchmarks', 'searches'].map((folder) => path.join(folder, name, 'report.html'))
    const file = files.map((one) => findOwnFile(workspace, one)).find((one) => one !== null) ?? null
    if (file === null || path.dirname(file) === folder) return []
    return [[name, path.relative(folder, file).split(path.sep).map(encodeURIComponent).join('/')]]
  })
  if (found.length > 0) extras.reports = Object.fromEntries(found)
}
