/** Builds what the aggregator gets from a short table: one line a run. */
import { type Grading, grading } from '../../../schemas/grading.ts'
import type { Metrics } from '../../../schemas/metrics.ts'
import type { Configuration } from '../../../schemas/plan.ts'
import type {
  AggregateInput,
  ReportCase,
  RunWithGrading,
} from '../../../src/phases/4-report/benchmark/aggregate_input.ts'
import { record } from '../../fixtures/record.ts'

/** One planned run. `verdicts`: "++-" passed, passed, failed; "?" left undecided; null: no grading. */
export interface Line {
  evalId: number
  arm: Configuration
  run: number
  verdicts: string | null
  seconds?: number
  tokens?: number | null
  /** Changes to the record; 'none': the run was not made. */
  record?: Record<string, unknown> | 'none'
  grading?: Record<string, unknown>
  metrics?: Metrics | null
  statements?: readonly string[]
}

const texts = [
  'The total is 1284.50',
  'The report names every region',
  'The script was run',
  'A CSV file is left behind',
]

function gradingOf({ verdicts, statements = texts, grading: changes = {} }: Line): Grading {
  const decided = [...(verdicts ?? '')].map((mark, index) => ({
    mark,
    text: statements[index] ?? `Statement ${index + 1}`,
  }))
  const expectations = decided
    .filter(({ mark }) => mark !== '?')
    .map(({ mark, text }) => ({
      text,
      passed: mark === '+',
      evidence: mark === '+' ? `Seen in the answer: ${text}` : 'Not found in the answer or the outputs',
      decided_by: 'judge',
    }))
  const undecided = decided.filter(({ mark }) => mark === '?')
  return grading.parse({
    expectations,
    summary: { passed: 0, failed: 0, total: 0, pass_rate: 0 }, // wrong on purpose: it must never be read
    judge_errors: undecided.map(({ text }) => ({ text, reason: 'no usable answer after one repair' })),
    judge: { engine: 'anthropic', model: 'judge-model', calls: 1, tokens: 900, cost_usd: 0.002 },
    ...changes,
  })
}

export function resultOf(line: Line): RunWithGrading {
  const { seconds = 10, tokens = 1000 } = line
  const isWithout = line.arm === 'without_skill'
  const usage =
    tokens === null
      ? null
      : { input_tokens: tokens - 100, output_tokens: 60, cache_read_tokens: 30, cache_write_tokens: 10 }
  return {
    record: record({
      ...planned(line),
      duration_ms: seconds * 1000,
      usage,
      skill: { offered: isWithout ? null : true, read: isWithout ? null : true, read_at_step: isWithout ? null : 1 },
      ...(line.record === 'none' ? {} : line.record),
    }),
    grading: line.verdicts === null ? null : gradingOf(line),
    timing: { duration_ms: seconds * 1000, total_duration_seconds: seconds },
    metrics: line.metrics === undefined ? metrics : line.metrics,
  }
}

const metrics: Metrics = {
  tool_calls: { bash: 2, read: 1 },
  total_tool_calls: 3,
  total_steps: 4,
  files_created: ['report.csv'],
  errors_encountered: 0,
  output_chars: 240,
  transcript_chars: 900,
}

function planned({ evalId, arm, run }: Line) {
  const run_id = `eval-${evalId}-case-${evalId}/${arm}/run-${run}`
  return { run_id, eval_id: evalId, eval_name: `case-${evalId}`, configuration: arm, run_number: run }
}

function reportCase(id: number, changes: Partial<ReportCase> = {}): ReportCase {
  const named = { eval_id: id, eval_key: null, eval_name: `case-${id}`, cannot_run: null }
  return { ...named, expectations: ['some'], checks: [], ...changes }
}

export function inputOf(lines: readonly Line[], changes: Partial<AggregateInput> = {}): AggregateInput {
  const ids = [...new Set(lines.map((line) => line.evalId))]
  const cases = ids.map((id) => reportCase(id))
  return {
    metadata: {
      skillName: 'sales-report',
      skillPath: '/path/to/sales-report',
      executorModel: 'practice-1',
      analyzerModel: 'rules',
      timestamp: '2026-01-15T10:30:00Z',
      runsPerConfiguration: 3,
      engine: 'anthropic',
      judge: 'anthropic:judge-model',
    },
    candidate: 'with_skill',
    baseline: 'without_skill',
    cases,
    planned: lines.map(planned),
    results: new Map(
      lines.filter((line) => line.record !== 'none').map((line) => [planned(line).run_id, resultOf(line)]),
    ),
    onTimeout: 'fail',
    ...changes,
  }
}

/** Runs 1..n of a case in an arm, one verdict string each. */
export function arm(
  evalId: number,
  name: Configuration,
  verdicts: readonly (string | null)[],
  more: Partial<Line> = {},
): Line[] {
  return verdicts.map((one, index) => ({ evalId, arm: name, run: index + 1, verdicts: one, ...more }))
}

/** A benchmark with one of everything: gains, a flaky case, a case that is hurt, failures, a time-out, judge errors. */
export const oneOfEverything: AggregateInput = inputOf(
  [
    ...arm(2, 'with_skill', ['++++', '++++', '+++-'], { seconds: 42.5, tokens: 3800 }),
    ...arm(2, 'without_skill', ['+---', '+---', '++--'], { seconds: 30.25, tokens: 2100 }),
    ...arm(10, 'with_skill', ['++', '--', '++'], { seconds: 12 }),
    ...arm(10, 'without_skill', ['+-', '--', '+-'], { seconds: 8.5 }),
    ...arm(3, 'with_skill', ['+-', '--', '+?'], { seconds: 20 }),
    ...arm(3, 'without_skill', ['++', '++'], { seconds: 22 }),
    {
      evalId: 3,
      arm: 'without_skill',
      run: 3,
      verdicts: null,
      record: { status: 'failed', error: { kind: 'rate_limited', message: '429 after 3 attempts: slow down' } },
    },
    { evalId: 4, arm: 'with_skill', run: 1, verdicts: '--', record: { status: 'timed_out', cost: null } },
    { evalId: 4, arm: 'with_skill', run: 2, verdicts: '??' },
    { evalId: 4, arm: 'with_skill', run: 3, verdicts: null, record: 'none' },
    ...arm(4, 'without_skill', ['+-', '+-']),
    { evalId: 4, arm: 'without_skill', run: 3, verdicts: null, record: { status: 'cancelled' } },
    ...arm(5, 'with_skill', [null]),
    ...arm(5, 'without_skill', [null]),
  ],
  {
    cases: [
      reportCase(2, { eval_key: 'totals' }),
      reportCase(3),
      reportCase(4),
      reportCase(5, { expectations: [] }),
      reportCase(6, { eval_name: 'broken-input', cannot_run: 'evals/files/missing.csv: no such file' }),
      reportCase(10),
    ],
  },
)
