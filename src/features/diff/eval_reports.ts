/** diff on eval reports: compares two, or follows all below a folder. Writes nothing. */
import { readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import type { EvalDiff, EvalTrend, ReportRate } from '../../../schemas/eval_diff.ts'
import { type EvalReport, evalReport } from '../../../schemas/eval_report.ts'
import { errorMessage, UserError } from '../../base/errors/error.ts'
import { readJson } from '../../base/json/json.ts'
import type { DiffSection } from '../../phases/4-report/diff/diff_text.ts'
import { formatPercent, formatPlural, shortenText } from '../../phases/4-report/text/format.ts'

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

interface NamedReport {
  file: string
  report: EvalReport
}

/** Cases are matched by name; several with one name, in order. */
export function diffReports(before: NamedReport, after: NamedReport): EvalDiff {
  const [old, now] = [keyReportCases(before.report), keyReportCases(after.report)]
  const keys = [...new Set([...now.keys(), ...old.keys()])]
  return {
    before: toReportRate(before),
    after: toReportRate(after),
    provenance: compareProvenance(before.report, after.report),
    cases: keys.map((key) => {
      const [was, is] = [old.get(key) ?? null, now.get(key) ?? null]
      return {
        name: (is ?? was)?.name ?? key,
        target: (is ?? was)?.target ?? null,
        before: was?.verdict ?? null,
        after: is?.verdict ?? null,
        change: classifyVerdictChange(was?.verdict ?? null, is?.verdict ?? null),
        error: is?.error ?? null,
      }
    }),
  }
}

type Case = EvalReport['cases'][number]

function keyReportCases({ cases }: EvalReport): Map<string, Case> {
  const counts = new Map<string, number>()
  return new Map(
    cases.map((one) => {
      const number = (counts.get(one.name) ?? 0) + 1
      counts.set(one.name, number)
      return [`${one.name} ${number}`, one]
    }),
  )
}

function classifyVerdictChange(before: string | null, after: string | null): EvalDiff['cases'][number]['change'] {
  if (before === after) return 'same'
  if (before === 'FAIL' && after === 'PASS') return 'fixed'
  return before === 'PASS' && after === 'FAIL' ? 'regressed' : 'other'
}

export function toReportRate({ file, report }: NamedReport): ReportRate {
  const { summary, agent, judge, config } = report
  return {
    report: file,
    id: report.id,
    timestamp: report.timestamp,
    package: report.package.name,
    version: report.package.version ?? null,
    engine: agent.runtime,
    engine_version: agent.runtime_version ?? null,
    model: agent.model ?? null,
    judge: judge?.model ?? config.judge ?? null,
    total: summary.total,
    passed: summary.passed,
    failed: summary.failed,
    skipped: summary.skipped,
    pass_rate: summary.pass_rate,
  }
}

function compareProvenance(before: EvalReport, after: EvalReport): EvalDiff['provenance'] {
  // If one report names no model that judged, the configured judges are compared.
  const wereAsked = [before, after].every(({ judge }) => judge?.model != null)
  const of = ({
    package: own,
    config,
    agent,
    judge,
    environment,
  }: EvalReport): [string, string | null | undefined][] => [
    ['package', own.name],
    ['package version', own.version],
    ['engine', config.engine],
    ['engine version', agent.runtime_version],
    ['model', agent.model],
    ['judge', wereAsked ? judge?.model : (config.judge_configured ?? config.judge)],
    ['timeout', config.timeout === undefined ? null : `${config.timeout} s`],
    ['machine', [environment.os, environment.arch].filter(Boolean).join(' ') || null],
  ]
  const now = new Map(of(after))
  return of(before).flatMap(([what, was]) => {
    const [old, is] = [was ?? null, now.get(what) ?? null]
    return old === is ? [] : [{ what, before: old, after: is }]
  })
}

export function evalDiffHeadline({ before, after, cases }: EvalDiff): string {
  const count = (change: string) => cases.filter((one) => one.change === change).length
  return `${rateText(before)} before, ${rateText(after)} after: ${count('regressed')} regressed, ${count('fixed')} fixed`
}

export function evalDiffSections({ provenance, cases }: EvalDiff): DiffSection[] {
  const order = ['regressed', 'fixed', 'other']
  const changed = order.flatMap((change) => cases.filter((one) => one.change === change))
  const sections = [
    {
      title: 'Differences in setup',
      header: ['', 'before', 'after'],
      rows: provenance.map(({ what, before, after }) => [what, before ?? '–', after ?? '–']),
    },
    {
      title: 'Cases',
      header: ['case', 'before', 'after', '', 'why'],
      rows: changed.map(({ name, before, after, change, error }) => [
        name,
        before ?? '–',
        after ?? '–',
        change === 'other' ? '' : change,
        shortenText(error ?? '', 120),
      ]),
    },
  ]
  return sections.filter(({ rows }) => rows.length > 0)
}

export function evalTrendHeadline({ reports }: EvalTrend): string {
  const [first, last] = [reports[0], reports.at(-1)]
  if (first === undefined || last === undefined) return 'no report'
  return `${formatPlural(reports.length, 'report')}: ${rateText(first)} at first, ${rateText(last)} now`
}

export function evalTrendSections({ reports, left_out }: EvalTrend): DiffSection[] {
  const sections = [
    {
      title: 'Reports, oldest first',
      header: ['when', 'package', 'engine', 'model', 'judge', 'passed', 'skipped', 'rate'],
      rows: reports.map((one) => [
        one.timestamp,
        [one.package, one.version].filter(Boolean).join(' '),
        [one.engine, one.engine_version].filter(Boolean).join(' '),
        one.model ?? '–',
        one.judge ?? '–',
        `${one.passed}/${one.passed + one.failed}`,
        String(one.skipped),
        one.pass_rate === null ? '–' : formatPercent(one.pass_rate),
      ]),
    },
    { title: 'Left out', header: ['file', 'why'], rows: left_out.map(({ file, message }) => [file, message]) },
  ]
  return sections.filter(({ rows }) => rows.length > 0)
}

function rateText({ passed, failed, skipped, pass_rate }: ReportRate): string {
  const rate = pass_rate === null ? 'nothing decided' : `${passed} of ${passed + failed} (${formatPercent(pass_rate)})`
  return skipped === 0 ? rate : `${rate}, ${skipped} skipped`
}
