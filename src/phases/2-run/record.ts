/** From the end of a run to its RunRecord, including the check of what the engine says it loaded. Pure. */

import type { RunSpec } from '../../../schemas/plan.ts'
import type { FailureKind, RunRecord } from '../../../schemas/run.ts'
import type { TranscriptEvent } from '../../../schemas/transcript.ts'
import type { Sandbox } from '../../base/sandbox/policy.ts'
import type { EngineOutcome, EngineReport } from '../../engines/engine.ts'
import { type Gate, heldBackBy } from '../../engines/gate.ts'
import type { Snapshot } from './collect.ts'
import { sandboxUsed } from './confine.ts'
import { countEvents } from './transcript.ts'

/** How the agent ended. `before` is null when it never started. */
export interface RunEnd {
  outcome: EngineOutcome | { status: 'timed_out' | 'cancelled'; report: EngineReport }
  startedAt: Date
  endedAt: Date
  durationMs: number
  before: Snapshot | null
}

export interface RecordRequest {
  request: { spec: RunSpec; engine: { name: string }; attempt: number; gate?: Gate | undefined }
  end: RunEnd
  outputs: RunRecord['outputs']
  events: readonly TranscriptEvent[]
  sandbox: Sandbox | null
}

/** The record. A completed run whose loaded skills are not those of its arm becomes `failed`. */
export function recordOf({ request, end, outputs, events, sandbox }: RecordRequest): RunRecord {
  const { spec } = request
  const { report } = end.outcome
  const heldBack = request.gate && heldBackBy(request.gate)
  const counted = countEvents(events)
  const read = counted.skillReads.find(({ skill }) => skill === spec.skill?.name)
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
    },
    activation: spec.activation,
    started_at: end.startedAt.toISOString(),
    ended_at: end.endedAt.toISOString(),
    duration_ms: Math.max(0, end.durationMs - report.waitedMs),
    attempts: request.attempt,
    ...(heldBack && { held_back: heldBack }),
    session_id: report.sessionId,
    usage: report.usage,
    cost: report.cost,
    steps: counted.steps,
    stop_reason: report.stopReason,
    exit_code: report.exitCode,
    signal: report.signal,
    final_response: report.finalResponse,
    skill: {
      offered: spec.skill === null || report.loaded === null ? null : isLoaded(report.loaded.skills, spec.skill.name),
      read: readState(spec, report, read !== undefined),
      read_at_step: read?.step ?? null,
    },
    loaded: report.loaded,
    sandbox: sandboxUsed(sandbox),
    permission_denials: report.permissionDenials,
    outputs,
    warnings: [],
  }
  const error = errorOf(spec, end)
  if (error !== null) return { status: 'failed', error, ...shared }
  const { status } = end.outcome
  return { status: status === 'failed' ? 'completed' : status, ...shared }
}

function errorOf(spec: RunSpec, end: RunEnd): { kind: FailureKind; message: string } | null {
  if (end.outcome.status === 'failed') return { kind: end.outcome.error.kind, message: end.outcome.error.message }
  const { loaded } = end.outcome.report
  return loaded === null ? null : (contamination(spec, loaded.skills) ?? strangers(spec, loaded))
}

/** Servers and plugins that the suite did not ask for: they are the user's. */
function strangers(
  spec: RunSpec,
  loaded: NonNullable<RunRecord['loaded']>,
): { kind: FailureKind; message: string } | null {
  const own = Object.keys(spec.environment?.mcp_servers ?? {})
  const found = [
    ...(loaded.mcp_servers ?? []).filter((name) => !own.includes(name)).map((name) => `the MCP server ${name}`),
    ...(loaded.plugins ?? []).map((name) => `the plugin ${name}`),
  ]
  if (found.length === 0) return null
  return { kind: 'contaminated', message: `the agent loaded ${found.join(', ')}, which is no part of the suite` }
}

/** What is wrong with the skills that an engine says it loaded, for this arm; null: nothing. */
export function contamination(spec: RunSpec, loaded: readonly string[]): { kind: FailureKind; message: string } | null {
  if (spec.absent_skill !== null && isLoaded(loaded, spec.absent_skill)) {
    const message = `the skill ${spec.absent_skill} is visible in the arm without it: the agent brings one of that name`
    return { kind: 'contaminated', message }
  }
  if (spec.skill !== null && !isLoaded(loaded, spec.skill.name)) {
    const list = loaded.join(', ') || 'none'
    return { kind: 'skill_not_offered', message: `the engine did not offer ${spec.skill.name}; it listed: ${list}` }
  }
  return null
}

/** By its name, or by plugin:name. */
function isLoaded(loaded: readonly string[], name: string): boolean {
  return loaded.some((one) => one === name || one.endsWith(`:${name}`))
}

function readState(spec: RunSpec, report: EngineReport, seen: boolean): boolean | null {
  if (spec.skill === null) return null
  return seen ? true : report.loaded === null ? null : false
}
