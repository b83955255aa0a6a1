/** Plans recorded sessions as the runs of a benchmark: each session is a run of its case, with the skill or without it. */
import type { Configuration, EngineChoice, Plan, PlanOptions, RunSpec } from '../../../../schemas/plan.ts'
import type { LoadWarning, Skill, Suite, SuiteCase } from '../../../../schemas/suite.ts'
import { UserError } from '../../../base/errors/error.ts'
import { canonicalJson, sha256 } from '../../../base/json/json.ts'
import { isEngineName } from '../../../engines/table.ts'
import { computePlanId } from '../../../phases/1-plan/keys/plan_keys.ts'
import { buildRunSpec } from '../../../phases/1-plan/plan/plan.ts'
import { blankCase } from '../../../phases/1-plan/suite/inspected_suite.ts'
import { selectCases } from '../../../phases/1-plan/suite/select_cases.ts'
import { leaveOutUnsaid } from '../../../phases/3-judge/conversation/unsent_message.ts'
import type { Session } from '../session.ts'
import { type PlannedSession, readSessionTurns } from './write_session.ts'

export interface SessionPlanRequest {
  assigned: readonly AssignedSession[]
  suite: Suite
  suiteSha256: string
  /** null: the sessions are not compared. */
  skill: Skill | null
  options: Omit<PlanOptions, 'runs'>
  /** ISO time. */
  createdAt: string
  warnings: readonly LoadWarning[]
}

export function planSessions(request: SessionPlanRequest): { plan: Plan; sessions: PlannedSession[] } {
  const { assigned, skill, suite, createdAt, warnings, suiteSha256 } = request
  const sessions: PlannedSession[] = []
  const numbers = new Map<string, number>()
  for (const { session, prompt, one } of assigned) {
    const configuration = chooseConfiguration(session, skill)
    const place = `${one.eval_id}/${configuration}`
    const number = (numbers.get(place) ?? 0) + 1
    numbers.set(place, number)
    sessions.push({ session, spec: buildSpec(request, { session, prompt, one, configuration, number }) })
  }
  const runs = sessions.map(({ spec }) => spec)
  const options = { ...request.options, runs: Math.max(...numbers.values()) }
  const cases = [...new Set(assigned.map(({ one }) => one))].map(withoutStart)
  const judged = new Set(cases.flatMap((one) => (one.expectations.length > 0 ? one.eval_id : [])))
  const plan: Plan = {
    schema_version: 1,
    observational: true,
    plan_id: computePlanId(runs, options),
    created_at: createdAt,
    suite: { path: suite.path, format: suite.format, sha256: suiteSha256 },
    skill: skill ?? { name: suite.skill_name, description: '', path: '', sha256: '' },
    baseline: null,
    candidate_configuration: skill === null ? 'subject' : 'with_skill',
    baseline_configuration: skill === null ? 'subject' : 'without_skill',
    options,
    cases,
    runs,
    warnings: [...warnings],
    calls: { agent_runs: 0, judge_calls: runs.filter(({ eval_id }) => judged.has(eval_id)).length },
  }
  return { plan, sessions }
}

/** With the skill if it was read, or if the records say that it was offered. */
function chooseConfiguration({ skills }: Session, skill: Skill | null): Configuration {
  if (skill === null) return 'subject'
  const isIt = (name: string) => name === skill.name || name.endsWith(`:${skill.name}`)
  return skills.read.some(isIt) || skills.offered?.some(isIt) ? 'with_skill' : 'without_skill'
}

interface SessionRun extends AssignedSession {
  configuration: Configuration
  number: number
}

/** Its key is that of the session's content: the same session is not judged twice. */
function buildSpec(request: SessionPlanRequest, run: SessionRun): RunSpec {
  const { session, prompt, one, configuration, number } = run
  const { suite, skill } = request
  const options = { ...request.options, engine: chooseEngine(session), runs: 1 }
  const arm = { configuration, skill: configuration === 'with_skill' ? skill : null }
  const absent = configuration === 'without_skill' && skill !== null ? skill.name : null
  const spec = buildRunSpec({ one: withoutStart(one), arm, number, absent }, suite, options)
  return { ...spec, prompt, key: sha256(canonicalJson({ configuration, events: session.events })) }
}

/** An ATIF file may come from an agent that has no engine here. */
export function chooseEngine({ agent, model }: Pick<Session, 'agent' | 'model'>): EngineChoice {
  return isEngineName(agent) ? { name: agent, model } : { name: 'command', model, command: agent }
}

/** Nothing is set up for a session: it has happened. */
function withoutStart({ environment: _, harbor: __, teardown: ___, collect: ____, attach: _____, ...one }: SuiteCase) {
  return { ...one, setup: null, git: null, cannot_run: null }
}

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
