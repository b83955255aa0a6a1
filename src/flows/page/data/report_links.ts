/** Links the pages of related benchmarks: of an improve session, and of points in the trend, where they exist. */
import path from 'node:path'
import type { History } from '../../../../schemas/history.ts'
import type { Page } from '../../../../schemas/page.ts'
import { findOwnFile } from '../../../base/fs/inside_folder.ts'

/** Relative URLs from `folder` (this benchmark's, in the workspace), by the other folder's name, such as 2026-01-15T10-30-00Z. */
export function addReports({ extras }: Pick<Page, 'extras'>, folder: string, workspace: string): void {
  const { history, trend } = extras
  const ofHistory = history !== undefined && 'value' in history ? listSessionBenchmarks(history.value) : []
  const ofTrend = trend !== undefined && 'value' in trend ? trend.value.points : []
  const names = [...ofHistory, ...ofTrend.map((point) => point.folder)].map((name) => path.basename(name))
  const found = [...new Set(names)].flatMap((name) => {
    const files = ['benchmarks', 'searches'].map((folder) => path.join(folder, name, 'report.html'))
    const file = files.map((one) => findOwnFile(workspace, one)).find((one) => one !== null) ?? null
    if (file === null || path.dirname(file) === folder) return []
    return [[name, path.relative(folder, file).split(path.sep).map(encodeURIComponent).join('/')]]
  })
  if (found.length > 0) extras.reports = Object.fromEntries(found)
}

/** The folders of a session's benchmarks, as the history states them. */
function listSessionBenchmarks({ rounds = [], certification, confirmations = [] }: History): string[] {
  return [
    ...rounds.flatMap(({ benchmarks }) => [
      ...benchmarks.shown,
      ...(benchmarks.mixes === undefined ? [] : [benchmarks.mixes]),
    ]),
    ...(certification == null ? [] : [certification.benchmark]),
    ...confirmations.map(({ benchmark }) => benchmark),
  ]
}
