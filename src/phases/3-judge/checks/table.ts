/** The table of checks: what decides each type. */
import type { CheckOf, CheckType } from '../../../../schemas/check.ts'
import { agentBlocked } from './agent_blocked.ts'
import { command } from './command.ts'
import { contains } from './contains.ts'
import { fileExists } from './file_exists.ts'
import { jsonPath } from './json_path.ts'
import { notContains } from './not_contains.ts'
import { regex } from './regex.ts'
import type { CheckScene, CheckVerdict } from './scene.ts'

/** The function that decides each type of check. */
export type Deciders = { [T in CheckType]: (check: CheckOf<T>, scene: CheckScene) => Promise<CheckVerdict> }

export const checks = {
  contains,
  not_contains: notContains,
  regex,
  file_exists: fileExists,
  json_path: jsonPath,
  command,
  agent_blocked: agentBlocked,
} satisfies Deciders
