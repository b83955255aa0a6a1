/** Has a judge decide the expectations of one run: room, prompt, one question for all. */
import type { CachedFrom } from '../../../schemas/cached_from.ts'
import type { RunRecord } from '../../../schemas/run.ts'
import type { SuiteCase } from '../../../schemas/suite.ts'
import { runMark } from '../../base/processes.ts'
import type { Sandbox } from '../../base/sandbox/policy.ts'
import type { Engine } from '../../engines/engine.ts'
import type { Gate } from '../../engines/gate.ts'
import { ask } from './ask.ts'
import { type JudgeAnswer, judgeAnswer, missingIn, type Verdict, verdictsOf } from './judge_answer.ts'
import { judgePrompt } from './judge_prompt.ts'
import { openJudgeRoom } from './judge_room.ts'
import type { Spent } from './meter.ts'

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
  /** Absent or null: nothing is remembered. */
  memory?: JudgeMemory | null
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
  /** Absent: the judge was asked now. */
  cachedFrom?: CachedFrom
}

const maxTurns = 60

/** Rejects only when aborted, or when the room can't be built (disk full). */
export async function judgeRun(request: JudgeRequest): Promise<Judged> {
  const { case: one, judge } = request
  await using room = await openJudgeRoom({
    runFolder: request.runFolder,
    inputs: one.files,
    record: request.record,
  })
  const expectations = one.expectations.map(({ text }) => text)
  const count = expectations.length
  const prompt = judgePrompt({ prompt: one.prompt, expectedOutput: one.expected_output, expectations, room })
  const known = recalled(await request.memory?.recall(prompt), count)
  if (known !== null) return known
  const asked = await ask({
    engine: judge.engine,
    task: {
      prompt,
      model: judge.model,
      command: judge.command,
      cwd: room.cwd,
      env: { ...request.env, [runMark]: room.mark },
      credentials: request.credentials,
      skills: [],
      tools: 'read_only',
      maxTurns,
      sandbox: request.sandboxFor?.([room.cwd, ...(request.env.HOME === undefined ? [] : [request.env.HOME])]) ?? null,
    },
    schema: judgeAnswer,
    context: { signal: request.signal, emit: () => {}, stderrFile: null, ...(request.gate && { gate: request.gate }) },
    review: (answer) => missingIn(answer, count),
  })
  if (asked.status === 'answered') {
    const { value: answer, spent } = asked
    const verdicts = verdictsOf(answer, count)
    if (isWhole(verdicts)) await request.memory?.keep(prompt, { answer, spent })
    return { verdicts, answer, spent }
  }
  return { verdicts: one.expectations.map(() => ({ error: asked.error })), answer: null, spent: asked.spent }
}

function recalled(known: Awaited<ReturnType<JudgeMemory['recall']>> | undefined, count: number): Judged | null {
  const answer = judgeAnswer.safeParse(known?.answer)
  if (!known || !answer.success) return null
  const verdicts = verdictsOf(answer.data, count)
  return isWhole(verdicts) ? { verdicts, answer: answer.data, spent: known.spent, cachedFrom: known.from } : null
}

function isWhole(verdicts: readonly Verdict[]): boolean {
  return !verdicts.some((verdict) => 'error' in verdict)
}
