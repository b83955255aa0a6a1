/** Finds the statements that hold for a recorded session: those of the case with its first message, or those that the user names. */
import type { Suite, SuiteCase } from '../../../../schemas/suite.ts'
import { UserError } from '../../../base/errors/error.ts'
import { blankCase } from '../../../phases/1-plan/suite/blank_case.ts'
import { selectCases } from '../../../phases/1-plan/suite/select_cases.ts'
import { leaveOutUnsaid } from '../../../phases/3-judge/conversation/unsaid_statements.ts'
import type { Session } from '../../sessions/session.ts'
import { readSessionTurns } from './session_turns.ts'

export interface StatementsWish {
  /** Cases whose statements hold for every session; empty: the case is found by the first message. */
  cases: readonly string[]
  /** Statements of the user's own, for sessions without a case. */
  expect: readonly string[]
}

export interface AssignedSession {
  session: Session
  /** What the person asked first; '' if the records do not contain it. */
  prompt: string
  one: SuiteCase
}

export interface AssignedCases {
  assigned: AssignedSession[]
  /** Sessions whose case has no statement, or only about messages that the person did not write. */
  ungradable: Session[]
  /** Statements about such messages of the assigned sessions: they are left out. */
  leftOutStatements: number
  /** Sessions whose first message is not a case's prompt. */
  unmatched: Session[]
}

/** Throws UserError if no session has statements, or --case names several. `suite` null: only the user's own statements. */
export function assignCases(
  sessions: readonly Session[],
  suite: Suite | null,
  { cases, expect }: StatementsWish,
): AssignedCases {
  const named = suite === null || cases.length === 0 ? null : chooseCase(suite, cases)
  const own = expect.length === 0 ? null : createOwnCase(sessions, suite, expect)
  const byPrompt = new Map((suite?.cases ?? []).map((one) => [normalizePrompt(one.prompt), one]))
  const assigned: AssignedSession[] = []
  const unmatched: Session[] = []
  const ungradable: Session[] = []
  let leftOutStatements = 0
  for (const session of sessions) {
    const prompt = firstMessage(session)
    const one = named ?? byPrompt.get(normalizePrompt(prompt)) ?? own
    if (one === null) {
      unmatched.push(session)
      continue
    }
    const kept = countStatements(
      leaveOutUnsaid(one, { observed: true, conversation: readSessionTurns(session.events) }),
    )
    if (kept === 0) ungradable.push(session)
    else {
      assigned.push({ session, prompt, one })
      leftOutStatements += countStatements(one) - kept
    }
  }
  return { assigned, unmatched, ungradable, leftOutStatements }
}

const countStatements = ({ expectations, checks }: SuiteCase) => expectations.length + checks.length

function chooseCase(suite: Suite, wanted: readonly string[]): SuiteCase {
  const [one, ...others] = selectCases(suite, wanted).cases
  if (one !== undefined && others.length === 0) return one
  throw new UserError(`--case names ${1 + others.length} cases`, 'name one: its statements hold for every session')
}

/** One case for all sessions of the user's own statements: they differ in what was asked, so it has no prompt of its own. */
function createOwnCase(sessions: readonly Session[], suite: Suite | null, expect: readonly string[]): SuiteCase {
  const prompts = new Set(sessions.map(firstMessage))
  const [only = ''] = prompts
  const several = 'Each session has a task of its own: the first message of the user in its transcript.'
  return {
    ...blankCase,
    eval_id: Math.max(0, ...(suite?.cases ?? []).map(({ eval_id }) => eval_id)) + 1,
    eval_key: null,
    eval_name: 'recorded sessions',
    prompt: prompts.size === 1 ? only : several,
    expectations: expect.map((text) => ({ text })),
  }
}

/** What the person wrote first; '' if the records do not contain it. */
function firstMessage({ events }: Session): string {
  const first = events.find(({ type }) => type === 'user')
  return first?.type === 'user' ? first.text : ''
}

/** The same for texts that differ only in case and white space, or in the full stop at their end. */
function normalizePrompt(text: string): string {
  return text
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replace(/[.!?]+$/, '')
}
