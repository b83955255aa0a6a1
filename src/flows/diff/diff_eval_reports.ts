/** diff on eval reports: compares two, or follows all below a folder. Writes nothing. */
import { readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import type { EvalDiff, EvalTrend } from '../../../schemas/eval_diff.ts'
import { evalReport } from '../../../schemas/eval_report.ts'
import { errorMessage, UserError } from '../../base/errors/error.ts'
import { readJson } from '../../base/json/json.ts'
import { diffReports, type NamedReport, toReportRate } from '../../phases/4-report/eval/eval_diff.ts'

/** null: neither is an eval report. Throws UserError if only one is. */
export async function diffEvals(before: string, after: string): Promise<EvalDiff | null> {
  const [old, now] = [await readNamedReport(before), await readNamedReport(after)]
  if ('report' in old && 'report' in now) return diffReports(old, now)
  if ('report' in old) throw mixedReportsError({ report: before, other: after, message: readErrorMessage(now) })
  if ('report' in now) throw mixedReportsError({ report: after, other: before, message: readErrorMessage(old) })
  return null
}

function readErrorMessage(read: Awaited<ReturnType<typeof readNamedReport>>): string {
  return 'message' in read ? read.message : ''
}

function mixedReportsError({ report, other, message }: { report: string; other: string; message: string }): UserError {
  const why = message.startsWith(path.resolve(other)) ? message : `${other}: ${message}`
  return new UserError(`${why} (${report} is a report of eval)`, 'pass two reports, or two benchmarks')
}

/** null: there is none. In a folder: the JSON files in it, in evals/reports/ and in reports/. */
export async function readEvalTrend(names: readonly string[]): Promise<EvalTrend | null> {
  const found: NamedReport[] = []
  const left_out: EvalTrend['left_out'] = []
  for (const name of names) {
    for (const file of await listReportFiles(name)) {
      const read = await readNamedReport(file)
      if ('report' in read) found.push(read)
      else left_out.push({ file: shortenReportPath(file), message: read.message })
    }
  }
  if (found.length === 0) return null
  const reports = found.map(toReportRate).sort((a, b) => Date.parse(a.timestamp) - Date.parse(b.timestamp))
  return { reports, left_out }
}

async function listReportFiles(name: string): Promise<string[]> {
  const place = path.resolve(name)
  const info = await stat(place).catch(() => null)
  if (info === null) return []
  if (!info.isDirectory()) return [place]
  for (const inner of ['evals/reports', 'reports', '.']) {
    const folder = path.join(place, inner)
    const names = await readdir(folder).catch(() => [])
    const files = names.filter((one) => /^\d{4}-\d\d-\d\dT.*\.json$/.test(one)).sort()
    if (files.length > 0) return files.map((one) => path.join(folder, one))
  }
  return []
}

async function readNamedReport(file: string): Promise<NamedReport | { message: string }> {
  if (!file.endsWith('.json')) return { message: 'not a JSON file' }
  return readJson(evalReport, path.resolve(file)).then(
    (report) => ({ file: shortenReportPath(path.resolve(file)), report }),
    (error: unknown) => ({ message: errorMessage(error) }),
  )
}

function shortenReportPath(file: string): string {
  const relative = path.relative(process.cwd(), file)
  return relative.startsWith('..') || relative === '' ? file : relative
}
