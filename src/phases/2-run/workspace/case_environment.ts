/** Builds the environment of what a case starts: its own variables, and its programs first on PATH. */
import path from 'node:path'
import type { Environment } from '../../../../schemas/suite.ts'
import { suiteVariables, type VariableTrust, variableRule } from '../../../base/secrets/suite_variables.ts'

export interface CaseEnvironment {
  /** For setup, the agent, teardown and checks. */
  env: Record<string, string>
  /** Variables that a suite may not set. */
  refused: string[]
}

/** `base`: the run's own environment, which wins. `folder`: where installPrograms installs. Pure. */
export function buildCaseEnvironment(
  base: Readonly<Record<string, string>>,
  environment: Environment | undefined,
  { folder, trust }: { folder: string; trust: VariableTrust },
): CaseEnvironment {
  // filtered here too: anyone may have written the plan
  const { set, refused } = suiteVariables(environment?.env, variableRule(trust))
  const own: Record<string, string> = { ...set, ...base }
  const found = [programPath(folder), own.PATH].filter((part) => part !== undefined && part !== '')
  return { env: environment?.programs ? { ...own, PATH: found.join(path.delimiter) } : own, refused }
}

export function programPath(folder: string): string {
  return path.join(folder, 'bin')
}
