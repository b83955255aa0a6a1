/** Grades answers that no agent gave, through the real grading: the empty one, which no case may pass, and each case's reference, which must. */
import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Problem } from '../../schemas/check_report.ts'
import type { Grading } from '../../schemas/grading.ts'
import type { RunRecord } from '../../schemas/run.ts'
import type { SuiteCase } from '../../schemas/suite.ts'
import { UserError } from '../base/error.ts'
import { openRoom } from '../base/room.ts'
import type { SandboxChoice } from '../base/sandbox/choose.ts'
import { isJudgeList } from '../engines/judge_choice.ts'
import { resolveJudgeChoice } from '../engines/models.ts'
import { engineNamed } from '../engines/table.ts'
import { startProblem, trialProblems } from '../phases/1-plan/check/trial_rules.ts'
import type { InspectedSuite } from '../phases/1-plan/inspected.ts'
import { pick } from '../phases/2-run/environment.ts'
import { restoreWorkspace } from '../phases/2-run/restore.ts'
import { isOfConduct } from '../phases/3-judge/checks/conduct.ts'
import { inside } from '../phases/3-judge/checks/locate.ts'
import { gradeRun } from '../phases/3-judge/grade.ts'
import type { JudgeChoice } from '../phases/3-judge/judge.ts'
import type { FlowContext } from './context.ts'
import { openPace } from './pace.ts'
import { startOf, trialPlace } from './trial_start.ts'

export type Trial = 'null' | 'oracle'

export interface TryRequest {
  suite: InspectedSuite
  trials: readonly Trial[]
  /** engine[:model]; null: expectations stay undecided. */
  judge: string | null
  sandbox: SandboxChoice
  /** What neither `setup` nor a check may see there. */
  hidden: readonly string[]
}

interface Answer {
  answer: string
  /** Path in the working folder → text. */
  files: Readonly<Record<string, string>>
}

/** The problems that the answers show, case by case. Throws UserError for an unknown judge. */
export async function tryAnswers(request: TryRequest, context: FlowContext): Promise<Problem[]> {
  const judge = judgeNamed(request.judge)
  const found: Problem[] = []
  const { suite, places } = request.suite
  for (const [index, one] of suite.cases.entries()) {
    const place = places[index] ?? { file: suite.path, at: null }
    if (one.cannot_run !== null || one.expectations.length + one.checks.length === 0) continue
    const start = await startOf(placeOf(one, request), context)
    if ('failed' in start) {
      found.push(startProblem({ case: one, place, reason: start.failed }))
      continue
    }
    for (const trial of request.trials) {
      const answer = answerOf(one, trial)
      const given = { one: able(one, trial), answer, judge, request, hashes: start.hashes }
      const grading = answer === null ? null : await gradeAnswer({ ...given, answer }, context)
      found.push(...trialProblems({ trial, case: one, place, grading }))
    }
  }
  return found
}

function placeOf(one: SuiteCase, { sandbox, hidden, suite }: TryRequest) {
  return { one, sandbox, hidden, settings: suite.suite.sandbox }
}

function judgeNamed(text: string | null): JudgeChoice | null {
  if (text === null) return null
  if (isJudgeList(text)) throw new UserError('--judge: a list', 'name one here, such as --judge anthropic:haiku')
  const { name, model, command = null } = resolveJudgeChoice(text)
  if (name === 'auto') throw new UserError('--judge auto: name one here', 'such as --judge anthropic:haiku')
  return { engine: engineNamed(name), model, command }
}

function answerOf(one: SuiteCase, trial: Trial): Answer | null {
  switch (trial) {
    case 'null':
      return { answer: '', files: {} }
    case 'oracle':
      return one.reference && { answer: one.reference.answer ?? '', files: one.reference.files ?? {} }
  }
}

/** A reference is an outcome, not a way there: what looks at how the agent worked can't be decided on it. */
function able(one: SuiteCase, trial: Trial): SuiteCase {
  const checks = one.checks.filter((check) => !isOfConduct(check))
  return trial === 'oracle' ? { ...one, checks } : one
}

interface Given {
  one: SuiteCase
  answer: Answer
  judge: JudgeChoice | null
  request: TryRequest
  /** Of the files that lie where the answer has one: path → hex sha256. */
  hashes: ReadonlyMap<string, string>
}

async function gradeAnswer(
  { one, answer, judge, request, hashes }: Given,
  context: FlowContext,
): Promise<Grading | null> {
  await using room = await openRoom()
  const runFolder = path.join(room.path, 'run')
  const outputs = path.join(runFolder, 'outputs')
  const record = await layDown({ one, answer, hashes, runFolder, outputs, at: context.now().toISOString() })
  const { env, sandboxFor, startIn } = await trialPlace(placeOf(one, request), room, context)
  const { signal } = context
  using pace = openPace(undefined, context)
  const graded = await gradeRun({
    case: one,
    record,
    runFolder,
    skill: { name: record.eval_name, installed: true },
    judge,
    onTimeout: 'fail',
    restore: (target) => restoreWorkspace(startIn(target), record, outputs),
    sandboxFor,
    env,
    credentials: judge === null ? {} : pick(context.env, judge.engine.credentials),
    gate: judge === null ? undefined : pace.gate(judge.engine, null),
    signal,
  })
  return graded?.grading ?? null
}

interface Laying {
  one: SuiteCase
  answer: Answer
  hashes: Given['hashes']
  runFolder: string
  outputs: string
  at: string
}

/** Writes the run folder as if an agent had left this answer. A file as it was given is no outcome. */
async function layDown({ one, answer, hashes, runFolder, outputs, at }: Laying): Promise<RunRecord> {
  const files: RunRecord['outputs']['files'] = []
  await mkdir(outputs, { recursive: true })
  for (const [wanted, text] of Object.entries(answer.files)) {
    const name = inside(wanted)
    if (name === null) continue
    const before = hashes.get(name)
    const sha256 = createHash('sha256').update(text).digest('hex')
    if (before === sha256) continue
    await mkdir(path.dirname(path.join(outputs, name)), { recursive: true })
    await writeFile(path.join(outputs, name), text)
    const change = before === undefined ? 'created' : 'modified'
    files.push({ path: name, bytes: Buffer.byteLength(text), sha256, change })
  }
  await writeFile(path.join(runFolder, 'transcript.jsonl'), '')
  await writeFile(path.join(runFolder, 'transcript.md'), `## Eval Prompt\n\n${one.prompt}\n\n${answer.answer}\n`)
  return recordOf(one, { answer, files, at })
}

/** Nobody worked: that is known, and took nothing. */
function recordOf(
  one: SuiteCase,
  { answer, files, at }: { answer: Answer; files: RunRecord['outputs']['files']; at: string },
): RunRecord {
  return {
    schema_version: 1,
    status: 'completed',
    run_id: `eval-${one.eval_id}`,
    eval_id: one.eval_id,
    eval_name: one.eval_name,
    configuration: 'with_skill',
    run_number: 1,
    key: 'no agent',
    engine: { name: 'none', version: null, model: null, provider: null },
    activation: 'natural',
    started_at: at,
    ended_at: at,
    duration_ms: 0,
    attempts: 1,
    session_id: null,
    usage: { input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0 },
    cost: { usd: 0, source: 'estimated' },
    steps: 0,
    stop_reason: null,
    exit_code: 0,
    signal: null,
    final_response: answer.answer,
    skill: { offered: null, read: false, read_at_step: null },
    loaded: { skills: [], tools: [], mcp_servers: [] },
    permission_denials: [],
    outputs: { files, deleted: [], left_out: [] },
    warnings: [],
  }
}
