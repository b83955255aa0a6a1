/** What `improve` and `prune` plan and check before they pay for runs of versions: the suite, and where the runs are to work. */
import type { EngineChoice } from '../../../schemas/plan.ts'
import type { Skill, Suite } from '../../../schemas/suite.ts'
import { openTempDir } from '../../base/fs/temp_dir.ts'
import { findEngine } from '../../engines/table.ts'
import { checkSkillFolder } from '../../phases/1-plan/check/check_skill_folder.ts'
import { requireValidBenchSuite } from '../../phases/1-plan/check/invalid_suite.ts'
import { adaptSuiteToBench } from '../../phases/1-plan/suite/adapt_for_bench.ts'
import { inspectSuite } from '../../phases/1-plan/suite/load_suite.ts'
import { planBench } from '../bench/bench.ts'
import { findDeadChecks } from '../dead_checks/find_dead_checks.ts'
import type { FlowContext } from '../flow_context.ts'
import { refuseStrayInstructions } from '../prepare/check_start.ts'
import { type OnRefusal, throwRefusal } from '../prepare/preflight.ts'
import type { PreparedBench } from '../prepare/prepare_bench.ts'
import type { BenchTemplate } from './bench_versions.ts'

/** Throws UserError for a suite whose runs could not count. */
export async function loadVersionsSuite(bench: BenchTemplate, skill: Skill, context: FlowContext): Promise<Suite> {
  const inspected = await inspectSuite(bench.suite ?? skill.path, skill.path)
  const adapted = { ...inspected, suite: adaptSuiteToBench(inspected.suite) }
  const { suite } = requireValidBenchSuite(adapted, {
    skill: await checkSkillFolder(skill.path),
    others: await findDeadChecks(adapted, context.signal),
    allowInvalid: bench.allowInvalid ?? false,
  })
  return suite
}

/** Every case with the skill and without it, once. */
export function planEveryCase(
  bench: BenchTemplate,
  skill: Skill,
  context: FlowContext,
  refuse: OnRefusal = throwRefusal,
): Promise<PreparedBench> {
  const asked = { ...bench, skill: skill.path, baseline: null, cases: [], runs: 1, fresh: false, cache: false }
  return planBench(asked, context, refuse)
}

/** Throws UserError: the benchmarks of the versions would refuse such files only after the start. */
export async function refuseStrayFiles(engines: readonly EngineChoice[]): Promise<void> {
  if (engines.every(({ name }) => name === 'auto' || findEngine(name).readsAbove === false)) return
  await using scratch = await openTempDir()
  await refuseStrayInstructions(scratch.path)
}
