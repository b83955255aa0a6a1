/** Leaves out the variables that a suite may not set, unless the user trusts it. */
import type { LoadWarning, Suite, SuiteCase } from '../../../../schemas/suite.ts'
import {
  explainRefusal,
  suiteVariables,
  type VariableTrust,
  variableRule,
} from '../../../base/secrets/suite_variables.ts'

/** The suite with what its runs will get, and a warning for each variable that they will not get. Pure. */
export function leaveOutVariables(suite: Suite, wish: VariableTrust | null | undefined): Suite {
  const lacking = new Map<string, number[]>()
  const cases = suite.cases.map((one): SuiteCase => {
    const { set, refused } = suiteVariables(one.environment?.env, variableRule(wish))
    if (one.environment === undefined || refused.length === 0) return one
    for (const name of refused) lacking.set(name, [...(lacking.get(name) ?? []), one.eval_id])
    const { env: _, ...others } = one.environment
    return { ...one, environment: { ...others, ...(Object.keys(set).length > 0 && { env: set }) } }
  })
  const warnings = [...lacking].map(([name, ids]) => describeLeftOut(suite.path, name, ids))
  return warnings.length === 0 ? suite : { ...suite, cases, warnings: [...suite.warnings, ...warnings] }
}

function describeLeftOut(file: string, name: string, ids: readonly number[]): LoadWarning {
  const { reason, fix } = explainRefusal(name)
  const message = `the variable ${name} is left out: ${reason}`
  return { file, at: `case ${ids.join(', ')}`, message, ...(fix !== null && { fix }) }
}
