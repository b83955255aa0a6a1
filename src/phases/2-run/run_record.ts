/** Builds the RunRecord from the end of a run and checks what the engine loaded. Pure. */
import { holdsSkill, type RunSpec } from '../../../schemas/plan.ts'
import type { FailureKind, RunRecord } from '../../../schemas/run.ts'
import type { TranscriptEvent } from '../../../schemas/transcript.ts'
import type { Sandbox } from '../../base/sandbox/policy.ts'
import { isToolCallText } from '../../engines/answers/json_answer.ts'
import type { Engine, EngineOutcome, EngineReport, TurnAnswer } from '../../engines/engine.ts'
import { type RateLimiter, toHeldBack } from '../../engines/limits/rate_limiter.ts'
import { findUserQuestion } from './asked_user.ts'
import type { Snapshot } from './collect/collect_outputs.ts'
import { countEvents } from './collect/transcript.ts'
import type { RunConversation } from './conversation/conversation.ts'
import { describeUnrecordedCalls } from './recorded_servers/recorded_servers.ts'
import { toSandboxRecord } from './workspace/sandbox_policy.ts'

/** How the agent ended. `before` is null if it never started. */
export interface RunEnd {
  outcome: EngineOutcome | { status: 'timed_out' | 'cancelled'; report: EngineReport }
  startedAt: Date
  endedAt: Date
  /** Active time in milliseconds. */
  durationMs: number
  /** Milliseconds that `durationMs` leaves out; absent: none. */
  suspendedMs?: number
  before: Snapshot | null
  /** Absent or null: the case has one turn. */
  conversation?: RunConversation | null
  /** The same for its home and /tmp; absent: it never started. */
  outsideBefore?: Snapshot
}

export interface RecordRequest {
  request: {
    spec: RunSpec
    engine: Pick<Engine, 'name' | 'hidesWork' | 'questionTools'>
    attempt: number
    agentCrashes?: number
    gate?: RateLimiter | undefined
  }
  end: RunEnd
  outputs: RunRecord['outputs']
  events: readonly TranscriptEvent[]
  sandbox: Sandbox | null
}

/** Builds the record. A completed run whose loaded skills are not those of its configuration becomes `failed`. */
export function buildRunRecord({ request, end, outputs, events, sandbox }: RecordRequest): RunRecord {
  const { spec } = request
  const { report } = end.outcome
  const { hidesWork } = request.engine
  const heldBack = request.gate && toHeldBack(request.gate)
  const counted = countEvents(events)
  const read = counted.skillReads.find(({ skill }) => skill === spec.skill?.name)
  const hasCalled = Object.keys(counted.toolCalls).length > 0
  const isTextCall = !hasCalled && (report.loaded?.tools ?? []).length > 0 && isToolCallText(report.finalResponse)
  const shared = {
    schema_version: 1 as const,
    run_id: spec.run_id,
    eval_id: spec.eval_id,
    eval_name: spec.eval_name,
    configuration: spec.configuration,
    run_number: spec.run_number,
    key: spec.key,
    engine: {
      name: request.engine.name,
      version: report.version,
      model: report.model ?? spec.engine.model,
      provider: report.provider,
      ...(spec.engine.effort !== undefined && { effort: spec.engine.effort }),
    },
    activation: spec.activation,
    started_at: end.startedAt.toISOString(),
    ended_at: end.endedAt.toISOString(),
    duration_ms: Math.max(0, end.durationMs - report.waitedMs),
    ...(end.suspendedMs && { suspended_ms: end.suspendedMs }),
    attempts: request.attempt,
    ...(request.agentCrashes && { agent_crashes: request.agentCrashes }),
    ...(heldBack && { held_back: heldBack }),
    session_id: report.sessionId,
    usage: report.usage,
    cost: report.cost,
    ...(report.furtherCalls && { further_calls: report.furtherCalls }),
    steps: counted.steps,
    ...(!hidesWork && { model_answered: report.answered, retried_error: report.retrying?.kind ?? null }),
    stop_reason: report.stopReason,
    exit_code: report.exitCode,
    signal: report.signal,
    final_response: report.finalResponse,
    ...(end.conversation && { conversation: end.conversation.record(lastAnswer(events, counted.steps)) }),
    skill: {
      offered: spec.skill === null || report.loaded === null ? null : isLoaded(report.loaded.skills, spec.skill.name),
      read: isTextCall && read === undefined ? null : readState(spec, report, read !== undefined),
      read_at_step: read?.step ?? null,
      ...describeListing(spec, report),
    },
    ...listSkillsRead(spec, report, counted.skillReads),
    loaded: report.loaded,
    ...(isTextCall && { text_tool_call: true as const }),
    sandbox: toSandboxRecord(sandbox),
    permission_denials: report.permissionDenials,
    outputs,
    warnings: listRunWarnings(spec, end, events),
  }
  const error = findRunError(spec, end)
  if (error !== null) return { status: 'failed', error, ...shared }
  const { status } = end.outcome
  if (status === 'cancelled') return { status, ...shared }
  const asked = findUserQuestion({
    ...{ engine: request.engine, report, events, outputs },
    conversation: shared.conversation,
  })
  const ended = { ...shared, ...(asked && { asked_user: asked }) }
  if (status === 'timed_out') return { status, ...(hidesWork && { provider_unseen: true as const }), ...ended }
  return { status: status === 'failed' ? 'completed' : status, ...ended }
}

/** Whether the agent itself ended this attempt without an answer: a skill can bring that about, so a further attempt is a second choice. */
export function isAgentCrash(record: RunRecord): boolean {
  if (record.status !== 'failed' || record.model_answered === false) return false
  return ['crash', 'bad_output', 'credentials'].includes(record.error.kind)
}

/** The agent's last text after the last message of the user. */
function lastAnswer(events: readonly TranscriptEvent[], step: number): TurnAnswer {
  const from = events.findLastIndex(({ type }) => type === 'user')
  const text = events.slice(from + 1).findLast((event) => event.type === 'assistant')
  return { text: text?.type === 'assistant' ? text.text : '', step }
}

function listRunWarnings(
  spec: RunSpec,
  { suspendedMs, outcome }: RunEnd,
  events: readonly TranscriptEvent[],
): string[] {
  const unrecorded = spec.environment?.recordings === undefined ? null : describeUnrecordedCalls(events)
  const refused = outcome.report.refusedRequests ?? []
  return [
    ...(suspendedMs ? [suspension(suspendedMs)] : []),
    ...(unrecorded === null ? [] : [unrecorded]),
    ...refused.map((request) => `the agent's programs asked for ${request}, which the credential proxy refused`),
  ]
}

/** The agent may continue while only Whetstone is stopped, and then takes longer than recorded. */
function suspension(ms: number): string {
  return `Whetstone was suspended or got no CPU time for ${(ms / 1000).toFixed(1)} s during this run. The time limit and the duration exclude this time, so the agent may have taken longer`
}

function findRunError(spec: RunSpec, end: RunEnd): { kind: FailureKind; message: string } | null {
  if (end.outcome.status === 'failed') return { kind: end.outcome.error.kind, message: end.outcome.error.message }
  const { loaded } = end.outcome.report
  return loaded === null ? null : (findContamination(spec, loaded.skills) ?? findUnrequestedParts(spec, loaded))
}

/** Servers and plugins that the suite did not ask for belong to the user. */
function findUnrequestedParts(
  spec: RunSpec,
  loaded: NonNullable<RunRecord['loaded']>,
): { kind: FailureKind; message: string } | null {
  const own = Object.keys(spec.environment?.mcp_servers ?? {})
  const found = [
    ...(loaded.mcp_servers ?? []).filter((name) => !own.includes(name)).map((name) => `the MCP server ${name}`),
    ...(loaded.plugins ?? []).map((name) => `the plugin ${name}`),
  ]
  if (found.length === 0) return null
  return { kind: 'contaminated', message: `the agent loaded ${found.join(', ')}, which the suite does not define` }
}

/** What is wrong with the loaded skills for this configuration; null: nothing. */
export function findContamination(
  spec: RunSpec,
  loaded: readonly string[],
): { kind: FailureKind; message: string } | null {
  if (spec.absent_skill !== null && isLoaded(loaded, spec.absent_skill)) {
    const message = `the skill ${spec.absent_skill} is visible in the arm without it: the agent has its own skill of this name`
    return { kind: 'contaminated', message }
  }
  if (spec.skill !== null && !spec.skill.user_only && !isLoaded(loaded, spec.skill.name)) {
    const list = loaded.join(', ') || 'none'
    return { kind: 'skill_not_offered', message: `the engine did not offer ${spec.skill.name}; it listed: ${list}` }
  }
  return null
}

/** Matches the name or plugin:name. */
function isLoaded(loaded: readonly string[], name: string): boolean {
  return loaded.some((one) => one === name || one.endsWith(`:${name}`))
}

/** Nothing if it is not known, or if the model does not learn of the skill by its description. */
function describeListing(
  { skill, activation }: RunSpec,
  { offers, loaded }: EngineReport,
): Partial<RunRecord['skill']> {
  const description = offers?.[skill?.name ?? '']
  if (skill === null || skill.user_only || holdsSkill(activation) || description === undefined) return {}
  const others = loaded?.skills.filter((name) => !isLoaded([name], skill.name)).length ?? null
  return { listing: { description, others } }
}

/** Nothing where there are no other skills, or where an engine that names none may have read one unseen. */
function listSkillsRead(
  spec: RunSpec,
  report: EngineReport,
  reads: readonly { skill: string; step: number }[],
): Pick<RunRecord, 'skills_read'> {
  const others = (spec.among?.length ?? 0) + (spec.environment?.skills?.length ?? 0)
  if (others === 0 || (report.loaded === null && reads.length === 0)) return {}
  const first = reads.filter(({ skill }, at) => reads.findIndex((one) => one.skill === skill) === at)
  return { skills_read: first.map(({ skill: name, step }) => ({ name, step })) }
}

function readState(spec: RunSpec, report: EngineReport, seen: boolean): boolean | null {
  if (spec.skill === null) return null
  // started by the user's words: the agent's program puts its text before the prompt, and no call shows it
  if (spec.skill.user_only && spec.activation === 'instructed' && !seen) return null
  if (holdsSkill(spec.activation) && !seen) return null // the prompt has its instructions
  return seen ? true : report.loaded === null ? null : false
}
