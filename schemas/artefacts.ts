/** The table of artefacts: every file that Whetstone reads or writes, and its schema. */
import type * as z from 'zod'
import { analysis } from './analysis.ts'
import { analystNotes } from './analyst_notes.ts'
import { auditLine } from './audit.ts'
import { authoredEvals } from './authored_evals.ts'
import { benchmark } from './benchmark.ts'
import { benchmarkDiff } from './benchmark_diff.ts'
import { benchmarkIndex } from './benchmark_index.ts'
import { calibration } from './calibration.ts'
import { checkReport } from './check_report.ts'
import { cleanReport } from './clean_report.ts'
import { comparison, comparisonError } from './comparison.ts'
import { comparisonSummary } from './comparison_summary.ts'
import { critique } from './critique.ts'
import { description } from './description.ts'
import { evalDiff, evalTrend } from './eval_diff.ts'
import { evalMetadata } from './eval_metadata.ts'
import { evalReport } from './eval_report.ts'
import { evalResult } from './eval_result.ts'
import { explanation } from './explanation.ts'
import { feedback } from './feedback.ts'
import { flowEvent } from './flow_event.ts'
import { grading } from './grading.ts'
import { history } from './history.ts'
import { judgeBatches } from './judge_batches.ts'
import { spentLine } from './limits.ts'
import { metrics } from './metrics.ts'
import { olderRunsFile } from './older_runs.ts'
import { plan, runSpec } from './plan.ts'
import { pluginEvalCase } from './plugin_eval_case.ts'
import { priceTable } from './prices.ts'
import { pruneReport } from './prune.ts'
import { rank } from './rank.ts'
import { removed } from './removed.ts'
import { runRecord } from './run.ts'
import { skillFrontmatter } from './skill_frontmatter.ts'
import { testResult } from './test_result.ts'
import { timing } from './timing.ts'
import { transcriptEvent } from './transcript.ts'
import { trend } from './trend.ts'
import { triggerMatrix } from './trigger_matrix.ts'
import { triggers } from './triggers.ts'
import { watchBaseline, watchFile } from './watch.ts'

export const artefacts = {
  evals: authoredEvals,
  plugin_eval_case: pluginEvalCase,
  prices: priceTable,
  skill_frontmatter: skillFrontmatter,
  eval_result: evalResult,
  eval_report: evalReport,
  eval_diff: evalDiff,
  eval_trend: evalTrend,
  test_result: testResult,
  eval_metadata: evalMetadata,
  plan,
  run_spec: runSpec,
  run: runRecord,
  prune: pruneReport,
  removed,
  transcript_event: transcriptEvent,
  metrics,
  timing,
  grading,
  judge_batches: judgeBatches,
  audit_line: auditLine,
  benchmark,
  benchmark_diff: benchmarkDiff,
  benchmark_index: benchmarkIndex,
  explanation,
  trend,
  rank,
  watch: watchFile,
  watch_baseline: watchBaseline,
  triggers,
  trigger_matrix: triggerMatrix,
  description,
  calibration,
  older_runs: olderRunsFile,
  comparison,
  comparison_error: comparisonError,
  comparison_summary: comparisonSummary,
  analysis,
  analyst_notes: analystNotes,
  history,
  spent: spentLine,
  check_report: checkReport,
  clean_report: cleanReport,
  critique,
  feedback,
  flow_event: flowEvent,
} satisfies Record<string, z.ZodType>

export type ArtefactName = keyof typeof artefacts
