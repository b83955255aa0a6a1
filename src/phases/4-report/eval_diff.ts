/** Two reports of eval against each other, and what a terminal or a pull request shows of that. Pure. */
import type { EvalDiff, EvalTrend, ReportRate } from '../../../schemas/eval_diff.ts'
import type { EvalReport } from '../../../schemas/eval_report.ts'
import { percent, plural, short } from './words.ts'

export interface NamedReport {
  file: string
  report: EvalReport
}

/** Cases are matched by their name; of several of one name, in order. */
export function diffReports(before: NamedReport, after: NamedReport): EvalDiff {
  const [old, now] = [keyed(before.report), keyed(after.report)]
  const keys = [...new Set([...now.keys(), ...old.keys()])]
  return {
    before: rateOf(before),
    after: rateOf(after),
    provenance: provenanceOf(before.report, after.report),
    cases: keys.map((key) => {
      const [was, is] = [old.get(key) ?? null, now.get(key) ?? null]
      return {
        name: (is ?? was)?.name ?? key,
        target: (is ?? was)?.target ?? null,
        before: was?.verdict ?? null,
        after: is?.verdict ?? null,
        change: changeOf(was?.verdict ?? null, is?.verdict ?? null),
        error: is?.error ?? null,
      }
    }),
  }
}

type Case = EvalReport['cases'][number]

function keyed({ cases }: EvalReport): Map<string, Case> {
  const counts = new Map<string, number>()
  return new Map(
    cases.map((one) => {
      const number = (counts.get(one.name) ?? 0) + 1
      counts.set(one.name, number)
      return [`${one.name} ${number}`, one]
    }),
  )
}

function changeOf(before: string | null, after: string | null): EvalDiff['cases'][number]['change'] {
  if (before === after) return 'same'
  if (before === 'FAIL' && after === 'PASS') return 'fixed'
  return before === 'PASS' && after === 'FAIL' ? 'regressed' : 'other'
}

export function rateOf({ file, report }: NamedReport): ReportRate {
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

function provenanceOf(before: EvalReport, after: EvalReport): EvalDiff['provenance'] {
  // Where one of them asked no judge, what was wished for is compared.
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
    ['judge', wereAsked ? judge?.model : config.judge],
    ['timeout', config.timeout === undefined ? null : `${config.timeout} s`],
    ['machine', [environment.os, environment.arch].filter(Boolean).join(' ') || null],
  ]
  const now = new Map(of(after))
  return of(before).flatMap(([what, was]) => {
    const [old, is] = [was ?? null, now.get(what) ?? null]
    return old === is ? [] : [{ what, before: old, after: is }]
  })
}

export interface Section {
  title: string
  header: string[]
  rows: string[][]
}

export function evalDiffHeadline({ before, after, cases }: EvalDiff): string {
  const count = (change: string) => cases.filter((one) => one.change === change).length
  return `${rateText(before)} before, ${rateText(after)} after: ${count('regressed')} regressed, ${count('fixed')} fixed`
}

export function evalDiffSections({ provenance, cases }: EvalDiff): Section[] {
  const order = ['regressed', 'fixed', 'other']
  const changed = order.flatMap((change) => cases.filter((one) => one.change === change))
  const sections = [
    {
      title: 'What was not the same',
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
        short(error ?? '', 120),
      ]),
    },
  ]
  return sections.filter(({ rows }) => rows.length > 0)
}

export function evalTrendHeadline({ reports }: EvalTrend): string {
  const [first, last] = [reports[0], reports.at(-1)]
  if (first === undefined || last === undefined) return 'no report'
  return `${plural(reports.length, 'report')}: ${rateText(first)} at first, ${rateText(last)} now`
}

export function evalTrendSections({ reports, left_out }: EvalTrend): Section[] {
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
        one.pass_rate === null ? '–' : percent(one.pass_rate),
      ]),
    },
    { title: 'Left out', header: ['file', 'why'], rows: left_out.map(({ file, message }) => [file, message]) },
  ]
  return sections.filter(({ rows }) => rows.length > 0)
}

function rateText({ passed, failed, skipped, pass_rate }: ReportRate): string {
  const rate = pass_rate === null ? 'nothing decided' : `${passed} of ${passed + failed} (${percent(pass_rate)})`
  return skipped === 0 ? rate : `${rate}, ${skipped} skipped`
}
