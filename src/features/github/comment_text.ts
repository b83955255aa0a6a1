/** The comment on a pull request: the verdict of each skill first, then gates, what changed since the base, and the report. */
import type { Benchmark } from '../../../schemas/benchmark.ts'
import type { Verdict } from '../../../schemas/benchmark_statistics.ts'
import {
  classifyArmPairing,
  describeCandidate,
  findArmSummary,
  findArms,
} from '../../phases/4-report/benchmark/arms.ts'
import { incompleteness, leftOutCases } from '../../phases/4-report/benchmark/incomplete.ts'
import { diffConfigurations } from '../../phases/4-report/diff/diff.ts'
import { diffSections } from '../../phases/4-report/diff/diff_text.ts'
import type { GateOutcome } from '../../phases/4-report/gate/check_gates.ts'
import { suspiciousLine } from '../../phases/4-report/judge/suspicious_runs.ts'
import { round } from '../../phases/4-report/stats/numbers/round.ts'
import {
  formatDollars,
  formatInterval,
  formatRates,
  formatSeconds,
  shortenText,
} from '../../phases/4-report/text/format.ts'
import { benchmarkHeadline, findHeadlineRates } from '../../phases/4-report/text/headline.ts'
import { commentTable, escapeComment, fitPieces } from './comment_markdown.ts'

export interface CommentedSkill {
  name: string
  /** null: see `error`. */
  benchmark: Benchmark | null
  error: { message: string; fix: string | null } | null
  gates: readonly GateOutcome[]
}

export interface CommentFacts {
  /** Tells the comments of several jobs apart: letters, digits, `.`, `_`, `-`. */
  id: string
  status: 'benched' | 'nothing' | 'skipped' | 'failed'
  problem: { message: string; fix: string | null } | null
  skills: readonly CommentedSkill[]
  /** Addresses on GitHub; null: there is none. */
  report: string | null
  job: string | null
  commit: string | null
}

/** The first line of the comment. Text from outside can't contain it, since `<` is escaped there. */
export function commentMarker(id: string): string {
  return `<!-- whetstone-comment: ${id} -->`
}

const verdictWords: Readonly<Record<Verdict, string>> = {
  hurts: 'hurts',
  incomplete: 'incomplete',
  not_comparable: 'not comparable',
  inconclusive: 'inconclusive',
  too_hard: 'too hard',
  too_easy: 'too easy',
  no_difference: 'no difference',
  helps: 'helps',
}

/** Worst first; `failed`: there is no benchmark. */
const worstFirst = ['failed', ...Object.keys(verdictWords)]

function skillVerdict({ benchmark }: CommentedSkill): string {
  if (benchmark?.statistics?.missing_grades) return 'incomplete'
  return benchmark === null ? 'failed' : (benchmark.statistics?.scopes?.these_cases.verdict ?? 'not_comparable')
}

/** The worst verdict of all; without a benchmark, the status. */
export function worstVerdict({ status, skills }: Pick<CommentFacts, 'status' | 'skills'>): string {
  const found = skills.map(skillVerdict)
  return worstFirst.find((one) => found.includes(one)) ?? status
}

/** What this job paid, in dollars: agent and judge, without what came from the cache; null: not known. */
export function jobCost(skills: readonly Pick<CommentedSkill, 'benchmark'>[]): number | null {
  const paid = skills.flatMap(({ benchmark }) => (benchmark === null ? [] : benchmarkCost(benchmark)))
  return paid.includes(null)
    ? null
    : round(
        paid.reduce<number>((sum, usd) => sum + (usd ?? 0), 0),
        6,
      )
}

function benchmarkCost({ cost, reused }: Benchmark): number | null {
  const part = (whole: number | null | undefined, before: number | null | undefined) => {
    if (reused !== undefined && before === null) return null
    return whole === null || whole === undefined ? null : whole - (before ?? 0)
  }
  const [agent, judge] = [part(cost?.agent_usd, reused?.agent_usd), part(cost?.judge_usd, reused?.judge_usd)]
  const user = cost?.user_usd === undefined ? 0 : cost.user_usd
  return agent === null || judge === null || user === null ? null : agent + judge + user
}

/** Markdown of at most 65,536 characters. */
export function commentText(facts: CommentFacts): string {
  const links = [
    ...(facts.report === null ? [] : [`[Report](${facts.report})`]),
    ...(facts.job === null ? [] : [`[Job](${facts.job})`]),
    ...(facts.commit === null ? [] : [`commit ${facts.commit.slice(0, 10)}`]),
  ]
  const pieces = [
    commentMarker(facts.id),
    `## ${title(facts)}`,
    ...problemLines(facts.problem),
    ...(facts.skills.length === 0 ? [] : verdictLines(facts.skills)),
    ...facts.skills.flatMap(skillLines),
  ]
  return fitPieces(pieces, `\n${links.join(' · ')}\n`)
}

function title({ status, skills }: CommentFacts): string {
  const [only, ...others] = skills
  switch (status) {
    case 'nothing':
      return 'Skills: nothing to compare'
    case 'skipped':
      return 'Skills: not benchmarked'
    case 'failed':
      return 'Skills: the benchmark did not start'
    case 'benched': {
      if (only !== undefined && others.length === 0)
        return `${escapeComment(only.name)}: ${wordFor(skillVerdict(only))}`
      const found = skills.map(skillVerdict)
      const counts = worstFirst.map((word) => [word, found.filter((one) => one === word).length] as const)
      return `Skills: ${counts.flatMap(([word, count]) => (count === 0 ? [] : `${count} ${wordFor(word)}`)).join(', ')}`
    }
  }
}

function wordFor(verdict: string): string {
  return (verdictWords as Readonly<Record<string, string>>)[verdict] ?? verdict
}

function problemLines(problem: CommentFacts['problem']): string[] {
  if (problem === null) return []
  const said = (text: string) => escapeComment(shortenText(text, 2000))
  return ['', said(problem.message), ...(problem.fix === null ? [] : ['', `What to do: ${said(problem.fix)}`])]
}

function verdictLines(skills: readonly CommentedSkill[]): string[] {
  const header = ['verdict', 'skill', 'pass rate', 'baseline', 'points', 'gates', 'cost', 'time per run']
  return ['', ...commentTable(header, skills.map(verdictRow))]
}

function verdictRow(skill: CommentedSkill): string[] {
  const { name, benchmark, gates } = skill
  const failed = gates.filter(({ passed }) => !passed).length
  const gate = gates.length === 0 ? '–' : failed === 0 ? 'passed' : `${failed} of ${gates.length} failed`
  const start = [wordFor(skillVerdict(skill)), shortenText(name, 100)]
  if (benchmark === null) return [...start, '–', '–', '–', gate, '–', '–']
  const { statistics } = benchmark
  const rates = findHeadlineRates(benchmark)
  const shown = rates === null ? null : formatRates(rates.candidate, rates.baseline)
  const difference = statistics?.scopes?.these_cases.difference
  const interval = difference === undefined ? '' : formatInterval(difference, statistics?.alpha ?? 0.05)
  const points = shown === null ? '–' : [shown.difference, interval].filter(Boolean).join(', ')
  const { candidate } = findArms(benchmark)
  const seconds = candidate === null ? undefined : findArmSummary(benchmark, candidate)?.time_seconds?.mean
  const usd = benchmarkCost(benchmark)
  const isWhole = benchmark.complete === true
  return [
    `${start[0]}${isWhole ? '' : ' (incomplete)'}`,
    start[1] ?? '',
    ...(shown === null ? ['–', '–'] : [shown.candidate, shown.baseline]),
    ...[points, gate],
    usd === null ? 'not known' : formatDollars(usd),
    seconds === undefined ? '–' : formatSeconds(seconds),
  ]
}

function skillLines({ name, benchmark, error, gates }: CommentedSkill): string[] {
  const heading = ['', `### ${escapeComment(shortenText(name, 100))}`, '']
  if (benchmark === null) return [[...heading, ...problemLines(error).slice(1)].join('\n')]
  const { baseline_note: note } = benchmark
  const marks = gates.map(
    ({ gate, passed, message }) =>
      `- Gate ${passed ? 'passed' : '**failed**'}: ${escapeComment(shortenText(gate, 200))} (${escapeComment(shortenText(message, 500))})`,
  )
  const said = [
    incompleteness(benchmark),
    leftOutCases(benchmark),
    benchmarkHeadline(benchmark),
    suspiciousLine(benchmark),
    typeof note === 'string' ? `${note.slice(0, 1).toUpperCase()}${note.slice(1)}` : null,
  ].flatMap((line) => (line === null ? [] : [escapeComment(shortenText(line, 2000)), '']))
  return [[...heading, ...said, ...marks].join('\n'), ...changeSection(benchmark)]
}

/** The cases and expectations that changed between the baseline and the skill, as `diff` shows them. */
function changeSection(benchmark: Benchmark): string[] {
  const arms = findArms(benchmark)
  if (arms.candidate === null || arms.baseline === null) return []
  const sections = diffSections(diffConfigurations({ name: '', benchmark, plan: null }))
  if (sections.length === 0) return []
  const summary =
    classifyArmPairing(arms) === 'versions' ? 'Changes since the base' : `Cases without and ${describeCandidate(arms)}`
  const tables = sections.flatMap(({ title: part, header, rows }) => {
    const cells = rows.slice(0, 100).map((row) => row.map((cell) => shortenText(cell, 200)))
    const more = rows.length > 100 ? ['', `… and ${rows.length - 100} more`] : []
    return ['', `#### ${part}`, '', ...commentTable(header, cells), ...more]
  })
  return [['', `<details><summary>${summary}</summary>`, ...tables, '', '</details>'].join('\n')]
}
