/** Runs on other machines: what a feature offers to the flows that run benchmarks. */
import type { Plan, RunSpec } from '../../../schemas/plan.ts'
import type { SandboxWish } from '../../base/sandbox/choose.ts'
import type { performRun } from '../../phases/2-run/run.ts'
import type { FlowContext } from '../flow_context.ts'
import type { LimitedBench } from '../limits/limited_bench.ts'
import type { RateLimitOptions } from '../limits/rate_limiters.ts'

/** The other machines that a user has named. Both functions throw UserError if they are unusable, and IncompleteError if unreachable for too long. */
export interface RemoteExecution {
  /** Checks the connection before anything else starts. */
  reach(context: FlowContext): Promise<void>
  open(work: RemoteWork, context: FlowContext): Promise<RemoteExecutor>
  /** The same, which does not wait for unreachable machines. */
  withoutWait(): RemoteExecution
}

export interface RemoteWork {
  plan: Plan
  /** The benchmark folder, absolute. */
  folder: string
  sandbox?: SandboxWish | null
  /** Absent: rate limits are detected automatically. */
  pace?: RateLimitOptions | undefined
  /** Decides which runs may start; null: all. */
  limited: LimitedBench | null
}

/** Executes runs, several at once. */
export interface RemoteExecutor extends AsyncDisposable {
  readonly atOnce: number
  perform: typeof performRun
  /** The run is committed to the benchmark: its remote files can be removed. */
  committed: (spec: RunSpec) => Promise<void>
}
