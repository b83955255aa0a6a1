/** Runs one benchmark of the loop, of versions by their names. */
import { improvePaths } from '../../store/paths.ts'
import type { FlowContext } from '../flow_context.ts'
import { type BenchStepResult, benchVersions, type VersionsStep } from '../versions/bench_versions.ts'
import type { ImproveSession } from './session/session.ts'

/** `candidate`, `against`: names of versions. */
export type ImproveBenchStep = VersionsStep

/** Throws StepStopped, or what bench throws. */
export async function runBenchStep(
  { request: { bench }, workspace, skill, budgets, history }: ImproveSession,
  step: ImproveBenchStep,
  context: FlowContext,
): Promise<BenchStepResult> {
  const { version } = improvePaths(workspace)
  const place = { bench, workspace, skill, budgets, since: history.started_at }
  const folders = { candidate: version(step.candidate), against: version(step.against) }
  return await benchVersions(place, { ...step, ...folders }, context)
}
