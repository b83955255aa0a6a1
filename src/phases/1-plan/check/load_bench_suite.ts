/** Loads the suite that `bench` runs: the chosen cases, valid by the rules of `check`, for the skill that is benchmarked. */
import type { ChosenCases, Skill, Suite } from '../../../../schemas/suite.ts'
import { adaptSuiteToBench } from '../suite/adapt_for_bench.ts'
import { hashSuite, inspectSuite } from '../suite/load_suite.ts'
import { assertNoOpenNetwork, type NetworkOptions } from '../suite/open_network.ts'
import { describeChosenCases, selectInspected } from '../suite/select_cases.ts'
import { applyTimeout } from '../suite/timeouts.ts'
import { requireValidBenchSuite } from './invalid_suite.ts'

export interface BenchSuiteRequest {
  /** A suite file or folder; null: found in the skill's folder. */
  suite: string | null
  /** The folder of the suite's input files; absent: the skill's. */
  suiteRoot?: string
  /** Ids, keys, names or globs; empty: all cases. */
  cases: readonly string[]
  /** null: the case's own. */
  timeoutSeconds: number | null
  /** Leave out invalid cases instead of refusing the suite. */
  allowInvalid?: boolean
  sandbox?: NetworkOptions | null
}

export interface BenchSuite {
  suite: Suite
  /** undefined: all cases. */
  chosen: ChosenCases | undefined
  /** Hex sha256 of the suite's content. */
  sha256: string
}

/** Throws UserError for a suite that can't be read, that asks for an open network, or whose runs could not count. */
export async function loadBenchSuite(request: BenchSuiteRequest, skill: Skill): Promise<BenchSuite> {
  const inspected = await inspectSuite(request.suite ?? skill.path, request.suiteRoot ?? skill.path)
  assertNoOpenNetwork(inspected.suite.path, inspected.suite.sandbox, request.sandbox)
  const whole = adaptSuiteToBench(applyTimeout(request.timeoutSeconds, inspected.suite))
  const selected = selectInspected({ ...inspected, suite: whole }, request.cases)
  const wish = { skillName: skill.name, allowInvalid: request.allowInvalid ?? false }
  const suite = requireValidBenchSuite(selected, wish)
  return {
    suite: withSkillName(suite, skill.name),
    chosen: describeChosenCases(whole, suite),
    sha256: await hashSuite(suite),
  }
}

function withSkillName(suite: Suite, name: string): Suite {
  if (suite.skill_name === name) return suite
  const message = `names the skill ${suite.skill_name}; SKILL.md says ${name}, which is used`
  return {
    ...suite,
    skill_name: name,
    warnings: [...suite.warnings, { file: suite.path, at: '$.skill_name', message }],
  }
}
