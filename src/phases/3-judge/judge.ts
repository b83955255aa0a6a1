/** Has a judge decide the expectations of one run: one question for all, and the evidence looked up. */
import type { CachedFrom } from '../../../schemas/cached_from.ts'
import type { Claim, InjectionAttempt } from '../../../schemas/grading.ts'
import type { RunRecord } from '../../../schemas/run.ts'
import type { SuiteCase } from '../../../schemas/suite.ts'
import type { Sandbox } from '../../base/sandbox/policy.ts'
import type { Engine } from '../../engines/engine.ts'
import type { Gate } from '../../engines/gate.ts'
import { boundedList, boundedText } from './bounds.ts'
import { evidenceFiles } from './evidence/files.ts'
import type { Fence } from './fence.ts'
import { injectionAttempts as findAttempts } from './injections.ts'
import type { JudgeAnswer, Verdict } from './judge_answer.ts'
import { openJudgeRoom } from './judge_room.ts'
import { lookUpClaim } from './look_up.ts'
import type { Spent } from './meter.ts'
import type { Seat } from './own/ask_plainly.ts'
import { judgeOwnWay } from './own/table.ts'
import { runView } from './run_view.ts'
import { voteOf } from './second_look.ts'
import { countVotes } from './votes.ts'

/** Who judges. `command` only for the command engine. */
export interface JudgeChoice {
  engine: Engine
  model: string | null
  command: string | null
  /** Where its server is, from --base-url. */
  baseUrl?: string | undefined
}

export interface JudgeRequest {
  case: SuiteCase
  record: RunRecord
  runFolder: string
  judge: JudgeChoice
  env: Readonly<Record<string, string>>
  /** What the judge is confined to when these folders are its own; absent or null: nothing. */
  sandboxFor?: (writable: readonly string[]) => Sandbox | null
  credentials: Readonly<Record<string, string>>
  /** Before the judge's account; absent: an open one. */
  gate?: Gate | undefined
  signal: AbortSignal
  /** A pass whose quotes are not found, asked twice, is a judge error. */
  requireEvidence?: boolean | undefined
  /** Votes on each expectation; absent: one. */
  samples?: number | undefined
  /** How data is set apart; absent: by a fence that it can't close. Another only to show what the fence is for. */
  fenceOf?: ((texts: readonly string[]) => Fence) | undefined
  /** Absent or null: nothing is remembered. */
  memory?: JudgeMemory | null
  /** Who is asked where the judge can't be, in this order; for formats that name such; absent: nobody. */
  fallbacks?: readonly Seat[] | undefined
}

/** What was answered earlier to the same question about the same evidence. */
export interface JudgeMemory {
  recall(prompt: string): Promise<{ answer: unknown; spent: Spent; from: CachedFrom } | null>
  keep(prompt: string, judged: { answer: JudgeAnswer; spent: Spent }): Promise<void>
}

/** One verdict for each expectation, in order; `answer` is null when the judge gave none at all. */
export interface Judged {
  verdicts: Verdict[]
  answer: JudgeAnswer | null
  spent: Spent
  /** How many passes the judge was asked about once more, because a quote was not found. */
  askedAgain?: number
  /** Of several votes: how many, and how far they agree. */
  samples?: number
  agreement?: number
  /** What the agent claimed, as the judge found it, and whether the judge's quotes were found; absent: there is no answer. */
  claims?: Claim[]
  /** What seems to talk to the judge. */
  injectionAttempts?: InjectionAttempt[]
  /** Absent: the judge was asked now. */
  cachedFrom?: CachedFrom
}

/** Rejects only when aborted, or when the room can't be built (disk full). */
export async function judgeRun(request: JudgeRequest): Promise<Judged> {
  const { case: one, runFolder } = request
  if (one.judging !== undefined) return await judgeOwnWay(request, one.judging)
  const { prompt, files: inputs } = one
  const verbatim = request.fenceOf !== undefined
  await using room = await openJudgeRoom({ runFolder, inputs, record: request.record, prompt, verbatim })
  const files = evidenceFiles({ runFolder, prompt, outputs: room.outputs, inputs: room.inputs })
  const sitting = { request, room, files, view: runView({ room, files, fenceOf: request.fenceOf }) }
  const first = await voteOf({ ...sitting, sample: 1 })
  const more: Judged[] = []
  // one after the other: what the first one sent is then in the provider's cache
  for (let sample = 2; sample <= (request.samples ?? 1); sample += 1) {
    more.push(await voteOf({ ...sitting, sample }))
  }
  const injectionAttempts = findAttempts(files, room.names)
  const judged = countVotes([first, ...more])
  const sources = { files, given: [prompt, one.expected_output ?? ''] }
  const claims =
    judged.answer && boundedList(judged.answer.claims, (claim) => lookUpClaim(boundedClaim(claim), sources))
  return { ...judged, ...(claims && { claims }), ...(injectionAttempts.length > 0 && { injectionAttempts }) }
}

function boundedClaim(claim: Claim): Claim {
  return { ...claim, claim: boundedText(claim.claim), evidence: boundedText(claim.evidence) }
}
