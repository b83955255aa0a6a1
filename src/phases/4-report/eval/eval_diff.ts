/** Compares two reports of eval, and writes the result for a terminal or a pull request. Pure. */
import type { EvalDiff, EvalTrend, ReportRate } from '../../../../schemas/eval_diff.ts'
import type { EvalReport } from '../../../../schemas/eval_report.ts'
import { formatPercent, formatPlural, shortenText } from '../text/format.ts'

export interface NamedReport {
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

export interface EvalDiffSection {
  title: string
  header: string[]
  rows: string[][]
}

export function evalDiffHeadline({ before, after, cases }: EvalDiff): string {
  const count = (change: string) => cases.filter((one) => one.change === change).length
  return `${rateText(before)} before, ${rateText(after)} after: ${count('regressed')} regressed, ${count('fixed')} fixed`
}

export function evalDiffSections({ provenance, cases }: EvalDiff): EvalDiffSection[] {
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

export function evalTrendSections({ reports, left_out }: EvalTrend): EvalDiffSection[] {
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
