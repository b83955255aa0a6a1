/** Report texts for benchmarks, evals, trigger measurements and tests. */
import type { EvalResult } from '../../../schemas/eval_result.ts'
import type { TestResult } from '../../../schemas/test_result.ts'
import { jsonText } from '../../base/json/json_text.ts'
import { evalGithub, evalJunit, evalMarkdown } from '../../phases/4-report/eval/eval_reports.ts'
import { toGithub } from '../../phases/4-report/text/github.ts'
import { type ReportedBenchmark, toJunit } from '../../phases/4-report/text/junit_report.ts'
import { toMarkdown } from '../../phases/4-report/text/markdown.ts'
import { testGithub, testJunit, testMarkdown } from '../../phases/4-report/text/test_reports.ts'
import {
  type ReportedTriggers,
  triggersGithub,
  triggersJunit,
  triggersMarkdown,
} from '../../phases/4-report/triggers/reports.ts'
import type { ReportTexts } from './reporters.ts'

const ofBenchmarks: ReportTexts<readonly ReportedBenchmark[]> = {
  junit: toJunit,
  markdown: (all) => all.map(({ benchmark }) => toMarkdown(benchmark)).join('\n'),
  json: (all) => json(all.map(({ name, benchmark, gates }) => ({ name, gates, benchmark }))),
  github: toGithub,
}

const ofEvals: ReportTexts<readonly EvalResult[]> = {
  junit: evalJunit,
  markdown: evalMarkdown,
  json,
  github: evalGithub,
}

const ofTriggers: ReportTexts<ReportedTriggers> = {
  junit: triggersJunit,
  markdown: triggersMarkdown,
  json,
  github: triggersGithub,
}

const ofTests: ReportTexts<TestResult> = {
  junit: testJunit,
  markdown: testMarkdown,
  json,
  github: testGithub,
}

export const reportTexts = { ofBenchmarks, ofEvals, ofTriggers, ofTests }

function json(value: unknown): string {
  return `${jsonText(value, 2)}\n`
}
