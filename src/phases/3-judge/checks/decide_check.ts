/** Decides one check on one run. */
import type { Check, CheckOf, CheckType } from '../../../../schemas/check.ts'
import { errorMessage } from '../../../base/errors/error.ts'
import { explainUnsentMessage } from '../conversation/unsent_message.ts'
import { decideCommand } from './command.ts'
import {
  decideAgentBlocked,
  decideCostAtMost,
  decideDurationAtMost,
  decideNoLoop,
  decideProgramCalled,
  decideSkillRead,
  decideTokensAtMost,
  decideToolCallsAtMost,
  decideToolNotUsed,
  decideToolUsed,
  decideTurnsAtMost,
} from './conduct_checks.ts'
import { decideCell, decideCsv, decideJsonPath, decideJsonSchema } from './data_checks.ts'
import {
  decideFileAbsent,
  decideFileCount,
  decideFileExists,
  decideFileHash,
  decideFileModified,
  decideFileSize,
} from './file_checks.ts'
import {
  type CheckContext,
  type CheckVerdict,
  failUnreadable,
  isContentUnknown,
  SearchLimitError,
} from './inputs/check_input.ts'
import { decideJavascript } from './javascript.ts'
import { decideScript, decideVerifier } from './script.ts'
import { decideScriptExecuted } from './script_executed.ts'
import { decideSimilarity } from './similarity.ts'
import { decideContains, decideEquals, decideNotContains, decideRegex } from './text_checks.ts'
import { decideToolOrder } from './tool_order.ts'

/** Returns the verdict. Whatever keeps the check from being decided is its `error`; rejects only when aborted. */
export async function decideCheck(check: Check, context: CheckContext): Promise<CheckVerdict> {
  try {
    const unknown = explainUnknownFiles(check, context)
    if (unknown !== null) return { error: unknown }
    const turn = 'turn' in check ? check.turn : undefined
    if (turn === undefined) return await decide(check.type, check, context)
    const { conversation } = context.record
    const unsent = explainUnsentMessage(turn, conversation)
    if (unsent !== null) return { passed: false, evidence: unsent }
    const finalResponse = conversation?.turns[turn - 1]?.answer ?? context.finalResponse
    return await decide(check.type, check, { ...context, finalResponse, answerLabel: `answer to message ${turn}` })
  } catch (error) {
    context.signal.throwIfAborted()
    if (error instanceof SearchLimitError) return failUnreadable(error.message)
    return { error: errorMessage(error) }
  }
}

function decide<T extends CheckType>(type: T, check: CheckOf<T>, context: CheckContext): Promise<CheckVerdict> {
  const deciders: Deciders = checkDeciders
  return deciders[type](check, context)
}

const fileChecks: ReadonlySet<CheckType> = new Set([
  'file_exists',
  'file_absent',
  'file_count',
  'file_hash',
  'file_modified',
  'file_size',
  'command',
  'script',
  'javascript',
  'verifier',
] satisfies CheckType[])

/** null: the check reads no file, or the files are known. */
function explainUnknownFiles(check: Check, { record, leftOut }: CheckContext): string | null {
  if (record.observed !== true) return null
  const whole = leftOut.find((one) => one.path === '.' && isContentUnknown(one))
  if (whole === undefined) return null
  const readsFiles = fileChecks.has(check.type) || ('path' in check && check.path !== undefined)
  return readsFiles ? whole.reason : null
}

export type Deciders = { [T in CheckType]: (check: CheckOf<T>, context: CheckContext) => Promise<CheckVerdict> }

export const checkDeciders = {
  contains: decideContains,
  not_contains: decideNotContains,
  regex: decideRegex,
  equals: decideEquals,
  similarity: decideSimilarity,
  json_path: decideJsonPath,
  json_schema: decideJsonSchema,
  csv: decideCsv,
  cell: decideCell,
  file_exists: decideFileExists,
  file_absent: decideFileAbsent,
  file_modified: decideFileModified,
  file_hash: decideFileHash,
  file_count: decideFileCount,
  file_size: decideFileSize,
  command: decideCommand,
  script: decideScript,
  javascript: decideJavascript,
  tool_used: decideToolUsed,
  tool_not_used: decideToolNotUsed,
  tool_order: decideToolOrder,
  tool_calls_at_most: decideToolCallsAtMost,
  no_loop: decideNoLoop,
  program_called: decideProgramCalled,
  skill_read: decideSkillRead,
  script_executed: decideScriptExecuted,
  agent_blocked: decideAgentBlocked,
  turns_at_most: decideTurnsAtMost,
  tokens_at_most: decideTokensAtMost,
  cost_at_most: decideCostAtMost,
  duration_at_most: decideDurationAtMost,
  verifier: decideVerifier,
} satisfies Deciders
