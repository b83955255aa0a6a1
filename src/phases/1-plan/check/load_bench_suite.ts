/** Loads the suite that `bench` runs: the chosen cases, valid by the rules of `check`, for the skill that is benchmarked. */
import type { Problem } from '../../../../schemas/check_report.ts'
import type { ChosenCases, Suite } from '../../../../schemas/suite.ts'
import type { VariableTrust } from '../../../base/secrets/suite_variables.ts'
import { leaveOutVariables } from '../plan/leave_out_variables.ts'
import { type Shard, selectShardCases } from '../plan/select_shard.ts'
import { adaptSuiteToBench, applyTimeout } from '../suite/adapt_for_bench.ts'
import type { InspectedSuite } from '../suite/inspected_suite.ts'
import { hashSuite, inspectSuite } from '../suite/load_suite.ts'
import { assertNoOpenNetwork, type NetworkOptions } from '../suite/open_network.ts'
import { describeChosenCases, selectInspected } from '../suite/select_cases.ts'
import type { CheckedFolder } from './check_skill_folder.ts'
import { requireValidBenchSuite } from './invalid_suite.ts'

export interface BenchSuiteRequest {
  /** A suite file or folder; null: found in the skill's folder. */
  suite: string | null
  /** The folder of the suite's input files; absent: the skill's. */
  suiteRoot?: string
  /** Ids, keys, names or globs; empty: all cases. */
  cases: readonly string[]
  /** Absent or null: all of these cases. */
  shard?: Shard | null
  /** null: the case's own. */
  timeoutSeconds: number | null
  /** Leave out invalid cases instead of refusing the suite. */
  allowInvalid?: boolean
  sandbox?: (NetworkOptions & VariableTrust) | null
}

export interface BenchSuite {
  suite: Suite
  chosen: ChosenCases | undefined
  /** Hex sha256 of the suite's content. */
  sha256: string
}

/** What is known of the skill beyond its suite. */
export interface BenchedSkill {
  name: string
  path: string
  /** null: the caller has checked skill and suite before, and said what it found. */
  checked: CheckedFolder | null
  /** Finds problems that take more than the files of skill and suite. */
  findOthers: (selected: InspectedSuite) => Promise<Problem[]>
}

/** Throws UserError for a suite that can't be read, that asks for an open network, or whose runs could not count. */
export async function loadBenchSuite(request: BenchSuiteRequest, skill: BenchedSkill): Promise<BenchSuite> {
  const inspected = await inspectSuite(request.suite ?? skill.path, request.suiteRoot ?? skill.path)
  assertNoOpenNetwork(inspected.suite.path, inspected.suite.sandbox, request.sandbox)
  const timed = applyTimeout(request.timeoutSeconds, inspected.suite)
  const whole = leaveOutVariables(adaptSuiteToBench(timed), request.sandbox)
  const named = selectInspected({ ...inspected, suite: whole }, request.cases)
  const selected = selectShardCases(named, request.shard ?? null)
  const { checked, name } = skill
  const { suite, warnings } = requireValidBenchSuite(selected, {
    skill: checked ?? { readable: true, problems: [], name, steps: [], files: [] },
    others: checked === null ? [] : await skill.findOthers(selected),
    allowInvalid: request.allowInvalid ?? false,
  })
  const said = checked === null ? suite.warnings : [...warnings, ...suite.warnings]
  return {
    suite: { ...suite, skill_name: name, warnings: said },
    chosen: describeChosenCases(whole, suite),
    sha256: await hashSuite(suite),
  }
}
