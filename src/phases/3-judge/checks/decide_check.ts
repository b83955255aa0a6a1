/** Decides one check on one run. */
import type { Check, CheckOf, CheckType } from '../../../../schemas/check.ts'
import { errorMessage } from '../../../base/errors/error.ts'
import { explainUnsentMessage } from '../conversation/unsent_message.ts'
import { type CheckContext, type CheckVerdict, isContentUnknown } from './inputs/check_input.ts'
import { failUnreadable } from './inputs/evidence.ts'
import { SearchLimitError } from './results/search_limit.ts'
import { checkDeciders, type Deciders } from './table.ts'

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
