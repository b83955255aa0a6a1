/** `benchmark.json`: all gradings of one plan, summarised. skill-creator's fields exactly, plus Whetstone's own. */
import * as z from 'zod'
import { otherAttempts } from './attempts.ts'
import { auditSummary } from './audit.ts'
import { statistics } from './benchmark_statistics.ts'
import { owners, quarantined } from './case_upkeep.ts'
import { comparisonSummary } from './comparison_summary.ts'
import { conversationEnd } from './conversation.ts'
import { gradedExpectation, injectionAttempt, judgeError } from './grading.ts'
import { heldBack } from './held_back.ts'
import { stop } from './limits.ts'
import { rubricResult } from './rubric.ts'
import { skillListing } from './run.ts'
import { chosenCases } from './suite.ts'

/** Sample statistics: stddev with n−1, 0.0 for one value (as in skill-creator). */
export const summaryStats = z.looseObject({ mean: z.number(), stddev: z.number(), min: z.number(), max: z.number() })

export const benchmarkRun = z.looseObject({
  eval_id: z.number().int(),
  eval_name: z.string(),
  configuration: z.string(),
  run_number: z.number().int(),
  result: z.looseObject({
    pass_rate: z.number().min(0).max(1),
    passed: z.number().int(),
    failed: z.number().int(),
    total: z.number().int(),
    time_seconds: z.number().optional().describe('absent: unknown (the run is from another tool)'),
    tokens: z.number().optional().describe('absent: the engine does not report tokens'),
    tool_calls: z.number().int().optional().describe('absent: the engine does not report its tool calls'),
    errors: z.number().int(),
    cost_usd: z.number().nullable().optional(),
    skill_read: z.boolean().nullable().optional(),
    skill_listing: skillListing.optional().describe('absent: not known, or a run without the skill'),
    skill_denied: z.literal(true).optional().describe('its call of the skill was denied; absent: no call was'),
    undecided: z
      .number()
      .int()
      .nonnegative()
      .optional()
      .describe('expectations without a verdict; not in the pass rate'),
    timed_out: z.boolean().optional().describe('the agent ran out of time; its expectations count as failed'),
    agent_crashes: z
      .number()
      .int()
      .positive()
      .optional()
      .describe('earlier attempts at this run that the agent ended without an answer; absent: none'),
    provider_unseen: z
      .literal(true)
      .optional()
      .describe(
        'the run timed out and its engine does not see the provider, so the provider may have been unresponsive',
      ),
    asked_user: z.boolean().optional().describe('the run ended with a question to the user'),
    text_tool_call: z.boolean().optional().describe('the answer is nothing but a tool call written as text'),
    conversation_ended: conversationEnd
      .optional()
      .describe('why its conversation ended; absent: the case has one message'),
  }),
  expectations: z.array(gradedExpectation),
  rubric: rubricResult.optional().describe('absent: the case has no rubric, or the judge could not decide it'),
  judge_errors: z.array(judgeError).optional().describe('expectations left undecided; absent: none'),
  injection_attempts: z
    .array(injectionAttempt)
    .optional()
    .describe('text in this run that seems to instruct the judge; absent: none found'),
  notes: z.array(z.string()),
})

/** How often graded runs of a configuration read a skill, where other skills were next to the tested one. */
export const skillReads = z.object({
  configuration: z.string(),
  skill: z.string(),
  read: z.number().int().nonnegative().describe('graded runs that read it'),
  runs: z.number().int().positive().describe('graded runs that had it, or another skill, and that show what they read'),
})

/** Graded runs that contain text which seems to instruct the judge. */
export const suspiciousRuns = z.object({
  runs: z.number().int().nonnegative().describe('graded runs with at least one attempt'),
  by_configuration: z.record(z.string(), z.number().int().nonnegative()),
  run_ids: z.array(z.string()).describe('their folders, relative to the benchmark'),
})

/** A planned run that counts in no rate, and why. */
export const excludedRun = z.object({
  eval_id: z.number().int(),
  eval_name: z.string(),
  configuration: z.string(),
  run_number: z.number().int(),
  reason: z.enum([
    'failed',
    'cancelled',
    'timed_out',
    'ungraded',
    'judge_error',
    'missing',
    'cannot_run',
    'quarantined',
  ]),
  kind: z.string().nullable().describe('failure kind of a failed run'),
  message: z.string(),
  judge_errors: z.array(judgeError).optional().describe('why nothing was decided in this run'),
})

export const armSummary = z.looseObject({
  pass_rate: summaryStats,
  time_seconds: summaryStats.optional(),
  tokens: summaryStats.optional(),
})

export const caseRow = z.object({
  eval_id: z.number().int(),
  eval_key: z.string().nullable(),
  eval_name: z.string(),
  owners,
  quarantine: quarantined,
  arms: z.record(
    z.string(),
    z.object({
      runs: z.number().int().nonnegative().describe('graded runs'),
      pass_rate: summaryStats.nullable().describe('null: no graded run'),
      time_seconds: summaryStats.nullable(),
      tokens: summaryStats.nullable(),
      all_passed: z.number().int().nonnegative().describe('runs in which every decided expectation passed'),
    }),
  ),
  delta: z.number().nullable().describe('mean pass rate, candidate − baseline; null: an arm has no graded run'),
})

export const runCounts = z.object({
  planned: z.number().int().nonnegative(),
  used: z.number().int().nonnegative().describe('graded and included in the rates'),
  ungraded: z.number().int().nonnegative().describe('completed, but the case has no criteria'),
  quarantined: z
    .number()
    .int()
    .positive()
    .optional()
    .describe('performed, but their case is in quarantine; absent: none'),
  excluded: z.record(z.string(), z.number().int().positive()).describe('runs by reason; failed runs by failed:<kind>'),
})

export const costSummary = z.object({
  agent_usd: z.number().nullable().describe('sum over runs whose cost is known; null: none known'),
  judge_usd: z.number().nullable(),
  user_usd: z
    .number()
    .nullable()
    .optional()
    .describe('cost of the models that played users; absent: none did; null: unknown'),
  again_usd: z
    .number()
    .nullable()
    .optional()
    .describe(
      'cost of grading the same transcripts again (grade --again), not in any other sum; absent: not used; null: unknown',
    ),
  unknown_runs: z.number().int().nonnegative().describe('runs whose cost is unknown'),
  prices: z
    .array(z.string())
    .optional()
    .describe('names of the files of --prices that costs come from; absent: no cost does'),
})

/** Runs that were taken from the cache. */
export const reusedRuns = z.object({
  runs: z.number().int().positive(),
  oldest: z.iso.datetime().describe('when the oldest of them ran'),
  by_configuration: z.record(z.string(), z.number().int()),
  shared: z.number().int().positive().optional().describe('how many of them came from the shared cache; absent: none'),
  looks: z
    .number()
    .int()
    .min(2)
    .optional()
    .describe(
      'runs were added to reused ones of both configurations: how often they were compared, this benchmark included; statistics.alpha is halved for each further look. Absent: once',
    ),
  agent_usd: z.number().nullable().describe('part of cost.agent_usd that an earlier benchmark paid; null: unknown'),
  judge_usd: z
    .number()
    .nullable()
    .optional()
    .describe('part of cost.judge_usd that an earlier benchmark paid; null: unknown'),
})

export const furtherCalls = z.object({
  runs: z.number().int().positive().describe('runs with such calls'),
  calls: z.number().int().positive(),
  tokens: z.number().int().positive(),
})

export const benchmark = z.looseObject({
  schema_version: z.literal(1).optional(),
  metadata: z.looseObject({
    skill_name: z.string(),
    skill_path: z.string(),
    executor_model: z.string(),
    analyzer_model: z.string(),
    timestamp: z.string(),
    evals_run: z.array(z.union([z.number().int(), z.string()])),
    runs_per_configuration: z.number().int(),
    not_own: z
      .object({ runs: z.number().int().positive(), of: z.number().int().positive() })
      .optional()
      .describe('how many of the runs on disk this user did not sign; absent: none, or another tool ran them'),
    stopped: stop.optional().describe('a limit ended the benchmark before all runs were done; its results are valid'),
  }),
  runs: z.array(benchmarkRun),
  run_summary: z
    .looseObject({
      delta: z
        .looseObject({ pass_rate: z.string(), time_seconds: z.string().optional(), tokens: z.string().optional() })
        .optional()
        .describe('candidate − baseline; absent: an arm has no graded run'),
    })
    .catchall(armSummary)
    .describe('one entry per arm, under its configuration name'),
  notes: z.array(z.string()),
  complete: z.boolean().optional().describe('false: at least one planned run has no grade'),
  counts: runCounts.optional(),
  cases: z.array(caseRow).optional(),
  observational: z
    .literal(true)
    .optional()
    .describe(
      'true: its runs are recorded sessions, in which people chose when to use the skill; a difference may have other causes, so nothing is tested',
    ),
  chosen: chosenCases
    .optional()
    .describe('the benchmark covers only these cases; absent: the whole suite, as far as is known'),
  baseline_note: z
    .string()
    .optional()
    .describe(
      'what is unusual about the versions that are compared: why the baseline is not simply what --baseline names, or what SKILL.md lacks; absent: nothing',
    ),
  excluded_runs: z.array(excludedRun).optional(),
  cost: costSummary.optional(),
  injection_attempts: suspiciousRuns.optional().describe('absent: written by a version that did not count them'),
  skills_read: z
    .array(skillReads)
    .optional()
    .describe(
      'which skills were read; absent: no run had other skills next to the tested one, or none shows what it read',
    ),
  reused: reusedRuns.optional().describe('absent: every run was performed for this benchmark'),
  statistics: statistics.optional().describe('absent: written by a version without statistics'),
  audit: auditSummary
    .optional()
    .describe("how far people agree with a sample of the judge's decisions; absent: no audit"),
  analyst_notes: z
    .object({
      kept: z.number().int().nonnegative().describe('number of notes written by a model: the last ones in notes'),
      dropped: z
        .array(z.object({ text: z.string(), reason: z.string() }))
        .describe('notes that the numbers do not support, or that exceed six notes in all'),
    })
    .optional()
    .describe('absent: no model was asked for notes'),
  comparison: comparisonSummary.optional().describe('blind comparisons of the arms; absent: no comparison'),
  held_back: heldBack.optional().describe('over runs and judges; absent: no limit of a provider or server was reached'),
  suspended: z
    .object({ runs: z.number().int().positive(), longest_ms: z.number().positive() })
    .optional()
    .describe('runs during which Whetstone was suspended or got no CPU time, and the longest pause; absent: none'),
  further_calls: furtherCalls.optional().describe("model calls that are not in the agents' own reports; absent: none"),
  other_attempts: otherAttempts.optional().describe('attempts that do not count; absent: none'),
  engine_versions: z
    .record(z.string(), z.number().int().positive())
    .optional()
    .describe('number of runs by engine version; absent: all runs used the same version'),
  problems: z
    .array(z.object({ file: z.string(), message: z.string() }))
    .optional()
    .describe("files of another tool's folder that were left out, and why"),
})

export type SummaryStats = z.infer<typeof summaryStats>
export type BenchmarkRun = z.infer<typeof benchmarkRun>
export type ExcludedRun = z.infer<typeof excludedRun>
export type ArmSummary = z.infer<typeof armSummary>
export type CaseRow = z.infer<typeof caseRow>
export type RunCounts = z.infer<typeof runCounts>
export type SuspiciousRuns = z.infer<typeof suspiciousRuns>
export type FurtherCalls = z.infer<typeof furtherCalls>
export type CostSummary = z.infer<typeof costSummary>
export type ReusedRuns = z.infer<typeof reusedRuns>
export type SkillReadCount = z.infer<typeof skillReads>
export type Benchmark = z.infer<typeof benchmark>
