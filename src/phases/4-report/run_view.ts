/** One run as the page shows it: its numbers, then each expectation with verdict and evidence. */
import type { BenchmarkRun } from '../../../schemas/benchmark.ts'
import type { RubricResult } from '../../../schemas/rubric.ts'
import type { Arms } from './arms.ts'
import { armLabel, count, dollars, percent, plural, seconds, visible } from './words.ts'

export interface RunView {
  place: string
  arm: string
  number: number
  score: string
  perfect: boolean
  facts: string[]
  expectations: { passed: boolean; text: string; evidence: string; tag: string }[]
  rubric: RubricView | null
  notes: string[]
}

interface RubricView {
  score: string
  passed: boolean
  dimensions: { name: string; weight: string; score: number; justification: string }[]
  hardFails: { text: string; evidence: string }[]
}

/** Characters of evidence shown; the rest is in grading.json. */
const longest = 4000

export function runView(run: BenchmarkRun, arms: Arms): RunView {
  const { result } = run
  return {
    place: run.configuration === arms.candidate ? 'candidate' : 'baseline',
    arm: visible(armLabel(run.configuration)),
    number: run.run_number,
    score: result.total === 0 ? percent(result.pass_rate) : `${result.passed} of ${result.total}`,
    perfect: result.total === 0 ? result.pass_rate === 1 : result.passed === result.total,
    facts: [
      result.time_seconds === undefined ? '' : seconds(result.time_seconds),
      result.tokens === undefined ? '' : `${count(result.tokens)} tokens`,
      result.tool_calls === undefined ? '' : plural(result.tool_calls, 'tool call'),
      result.errors === 0 ? '' : plural(result.errors, 'error'),
      typeof result.cost_usd === 'number' ? dollars(result.cost_usd) : '',
      readText(result.skill_read),
    ].filter((fact) => fact !== ''),
    expectations: run.expectations.map(({ passed, text, evidence, decided_by }) => ({
      passed,
      text: visible(text),
      evidence: visible(cut(evidence)),
      tag: decided_by === undefined ? '' : visible(decided_by),
    })),
    rubric: run.rubric === undefined ? null : rubricView(run.rubric),
    notes: run.notes.map(visible),
  }
}

function rubricView({ dimensions, hard_fails, weighted_score, threshold, passed }: RubricResult): RubricView {
  const total = dimensions.reduce((sum, { weight }) => sum + weight, 0)
  return {
    score: `${weighted_score} of 5, ${threshold} passes`,
    passed,
    dimensions: dimensions.map(({ name, weight, score, justification }) => ({
      name: visible(name),
      weight: percent(weight / total),
      score,
      justification: visible(cut(justification)),
    })),
    hardFails: hard_fails.map(({ text, evidence }) => ({ text: visible(text), evidence: visible(cut(evidence)) })),
  }
}

function readText(read: boolean | null | undefined): string {
  if (read === true) return 'skill read'
  return read === false ? 'skill not read' : ''
}

function cut(text: string): string {
  if (text.length <= longest) return text
  return `${text.slice(0, longest)} … (${count(text.length - longest)} more characters in grading.json)`
}
