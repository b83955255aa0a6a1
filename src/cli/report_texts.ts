/** Reports of benchmarks, evals, measurements of triggers and tests, each in its own words. Loaded where one is asked for. */
import type { EvalResult } from '../../schemas/eval_result.ts'
import type { TestResult } from '../../schemas/test_result.ts'
import { evalGithub, evalJunit, evalMarkdown } from '../phases/4-report/eval_texts.ts'
import { toGithub } from '../phases/4-report/github.ts'
import { type Reported, toJunit } from '../phases/4-report/junit.ts'
import { toMarkdown } from '../phases/4-report/markdown.ts'
import { testGithub, testJunit, testMarkdown } from '../phases/4-report/test_texts.ts'
import {
  type ReportedTriggers,
  triggersGithub,
  triggersJunit,
  triggersMarkdown,
} from '../phases/4-report/triggers/reports.ts'
import type { ReportTexts } from './reporters.ts'

const ofBenchmarks: ReportTexts<readonly Reported[]> = {
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
  return `${JSON.stringify(value, null, 2)}\n`
}
