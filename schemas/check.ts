/** Checks: statements about a run's outcome that code decides. The author's form, as written in `checks[]`. */
import * as z from 'zod'
import { cellCheck } from './checks/cell.ts'
import {
  agentBlockedCheck,
  costAtMostCheck,
  durationAtMostCheck,
  programCalledCheck,
  scriptExecutedCheck,
  skillReadCheck,
  tokensAtMostCheck,
  toolNotUsedCheck,
  toolUsedCheck,
  turnsAtMostCheck,
} from './checks/conduct.ts'
import { csvCheck, jsonPathCheck, jsonSchemaCheck } from './checks/data.ts'
import {
  fileAbsentCheck,
  fileCountCheck,
  fileExistsCheck,
  fileHashCheck,
  fileModifiedCheck,
  fileSizeCheck,
} from './checks/files.ts'
import { verifierCheck } from './checks/harbor.ts'
import { containsCheck, equalsCheck, notContainsCheck, regexCheck, similarityCheck } from './checks/texts.ts'
import { noLoopCheck, toolCallsAtMostCheck, toolOrderCheck } from './checks/trajectory.ts'
import { commandCheck, javascriptCheck, scriptCheck } from './checks/verifier.ts'

export const check = z.discriminatedUnion('type', [
  containsCheck,
  notContainsCheck,
  regexCheck,
  equalsCheck,
  similarityCheck,
  jsonPathCheck,
  jsonSchemaCheck,
  csvCheck,
  cellCheck,
  fileExistsCheck,
  fileAbsentCheck,
  fileModifiedCheck,
  fileHashCheck,
  fileCountCheck,
  fileSizeCheck,
  commandCheck,
  scriptCheck,
  javascriptCheck,
  toolUsedCheck,
  toolNotUsedCheck,
  toolOrderCheck,
  toolCallsAtMostCheck,
  noLoopCheck,
  programCalledCheck,
  skillReadCheck,
  scriptExecutedCheck,
  agentBlockedCheck,
  turnsAtMostCheck,
  tokensAtMostCheck,
  costAtMostCheck,
  durationAtMostCheck,
  verifierCheck,
])

/** The checks of a case. */
export const checks = z.array(check).refine((list) => {
  const rewards = list.filter(isReward)
  return rewards.length <= 1 && rewards.every(({ indicator }) => indicator !== true)
}, 'only one check of a case can be its reward, and an indicator cannot')

/** Whether it alone rates a run. */
export function isReward(one: Check): boolean {
  return 'reward' in one && one.reward === true
}

/** Whether it starts a program of the suite in a copy of the working folder. */
export function isProgramCheck(one: Check): one is ProgramCheck {
  return one.type === 'command' || one.type === 'script' || one.type === 'javascript'
}

/** Whether it can look at the answer to any message of the user: it reads no file and no transcript. */
export function isAnswerCheck(one: Check): one is AnswerCheck {
  switch (one.type) {
    case 'contains':
    case 'not_contains':
    case 'regex':
      return one.path === undefined && (one.target ?? 'answer') === 'answer'
    case 'equals':
    case 'similarity':
      return one.path === undefined
    default:
      return false
  }
}

export type Check = z.infer<typeof check>
type AnswerCheck = CheckOf<'contains' | 'not_contains' | 'regex' | 'equals' | 'similarity'>
export type ProgramCheck = CheckOf<'command' | 'script' | 'javascript'>
export type CheckType = Check['type']
export type CheckOf<T extends CheckType> = Extract<Check, { type: T }>
