/** The table of checks: what decides each type. */
import type { CheckOf, CheckType } from '../../../../schemas/check.ts'
import { agentBlocked } from './agent_blocked.ts'
import { command } from './command.ts'
import { contains } from './contains.ts'
import { csv } from './csv.ts'
import { equals } from './equals.ts'
import { fileAbsent } from './file_absent.ts'
import { fileCount } from './file_count.ts'
import { fileExists } from './file_exists.ts'
import { fileHash } from './file_hash.ts'
import { fileModified } from './file_modified.ts'
import { fileSize } from './file_size.ts'
import { jsonPath } from './json_path.ts'
import { jsonSchema } from './json_schema.ts'
import { costAtMost, durationAtMost, tokensAtMost, turnsAtMost } from './limits.ts'
import { notContains } from './not_contains.ts'
import { regex } from './regex.ts'
import type { CheckScene, CheckVerdict } from './scene.ts'
import { scriptExecuted } from './script_executed.ts'
import { similarity } from './similarity.ts'
import { skillRead } from './skill_read.ts'
import { toolNotUsed, toolUsed } from './tool_used.ts'

/** The function that decides each type of check. */
export type Deciders = { [T in CheckType]: (check: CheckOf<T>, scene: CheckScene) => Promise<CheckVerdict> }

export const checks = {
  contains,
  not_contains: notContains,
  regex,
  equals,
  similarity,
  json_path: jsonPath,
  json_schema: jsonSchema,
  csv,
  file_exists: fileExists,
  file_absent: fileAbsent,
  file_modified: fileModified,
  file_hash: fileHash,
  file_count: fileCount,
  file_size: fileSize,
  command,
  tool_used: toolUsed,
  tool_not_used: toolNotUsed,
  skill_read: skillRead,
  script_executed: scriptExecuted,
  agent_blocked: agentBlocked,
  turns_at_most: turnsAtMost,
  tokens_at_most: tokensAtMost,
  cost_at_most: costAtMost,
  duration_at_most: durationAtMost,
} satisfies Deciders
