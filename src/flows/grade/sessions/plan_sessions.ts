/** Plans recorded sessions as the runs of a benchmark: each session is a run of its case, with the skill or without it. */
import type { Configuration, EngineChoice, Plan, PlanOptions, RunSpec } from '../../../../schemas/plan.ts'
import type { LoadWarning, Skill, Suite, SuiteCase } from '../../../../schemas/suite.ts'
import { canonicalJson, sha256 } from '../../../base/json/json.ts'
import { isEngineName } from '../../../engines/table.ts'
import { computePlanId } from '../../../phases/1-plan/keys/plan_keys.ts'
import { buildRunSpec } from '../../../phases/1-plan/plan/plan.ts'
import type { Session } from '../../sessions/session.ts'
import type { AssignedSession } from './assign_cases.ts'

export interface PlannedSession {
  session: Session
  spec: RunSpec
}

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
