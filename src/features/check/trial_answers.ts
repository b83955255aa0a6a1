/** Grades answers without an agent: the empty one, which must fail every case, and each case's reference, which must pass. */
import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Problem } from '../../../schemas/check_report.ts'
import type { Grading } from '../../../schemas/grading.ts'
import type { RunRecord } from '../../../schemas/run.ts'
import type { Suite, SuiteCase } from '../../../schemas/suite.ts'
import { UserError } from '../../base/errors/error.ts'
import { hashFile, walk } from '../../base/fs/files.ts'
import { isIgnoredPath } from '../../base/fs/ignored_folders.ts'
import { openTempDir, type TempDir } from '../../base/fs/temp_dir.ts'
import type { SandboxChoice } from '../../base/sandbox/choose.ts'
import type { Sandbox } from '../../base/sandbox/policy.ts'
import { selectCredentials } from '../../engines/models/base_url.ts'
import { isJudgeList } from '../../engines/models/judge_choice.ts'
import { resolveJudgeChoice } from '../../engines/models/resolve_model.ts'
import { findEngine, listSkillsFolders } from '../../engines/table.ts'
import type { FlowContext } from '../../flows/flow_context.ts'
import { openAccountLimiters } from '../../flows/limits/rate_limiters.ts'
import type { InspectedSuite } from '../../phases/1-plan/suite/inspected_suite.ts'
import { openCheckSurroundings } from '../../phases/2-run/workspace/install_programs.ts'
import { restoreWorkspace, withoutOutputs } from '../../phases/2-run/workspace/restore_working_folder.ts'
import { buildRunEnvironment } from '../../phases/2-run/workspace/run_environment.ts'
import { confine } from '../../phases/2-run/workspace/sandbox_policy.ts'
import { SetupError } from '../../phases/2-run/workspace/symlink_traps.ts'
import { prepareWorkspace, type WorkspaceRequest } from '../../phases/2-run/workspace/working_folder.ts'
import { isConductCheck } from '../../phases/3-judge/checks/inputs/events.ts'
import { normalizeInnerPath } from '../../phases/3-judge/checks/inputs/locate_output.ts'
import { gradeRun } from '../../phases/3-judge/grade/grade_run.ts'
import type { JudgeChoice } from '../../phases/3-judge/judge_request.ts'
import { startProblem, trialProblems } from './trial_rules.ts'

export type Trial = 'null' | 'oracle'

export interface TryAnswersRequest {
  suite: InspectedSuite
  trials: readonly Trial[]
  /** engine[:model]; null: expectations stay undecided. */
  judge: string | null
  sandbox: SandboxChoice
  /** Paths that neither `setup` nor a check may see. */
  hidden: readonly string[]
}

interface Answer {
  answer: string
  /** Path in the working folder → text. */
  files: Readonly<Record<string, string>>
}

/** The problems that the answers reveal, case by case. Throws UserError for an unknown judge. */
export async function tryAnswers(request: TryAnswersRequest, context: FlowContext): Promise<Problem[]> {
  const judge = resolveTrialJudge(request.judge)
  const found: Problem[] = []
  const { suite, places } = request.suite
  for (const [index, one] of suite.cases.entries()) {
    const place = places[index] ?? { file: suite.path, at: null }
    if (one.cannot_run !== null || one.expectations.length + one.checks.length === 0) continue
    const start = await inspectTrialStart(toPlaceRequest(one, request), context)
    if ('failed' in start) {
      found.push(startProblem({ case: one, place, reason: start.failed }))
      continue
    }
    for (const trial of request.trials) {
      const answer = buildTrialAnswer(one, trial)
      const given = { one: withDecidableChecks(one, trial), answer, judge, request, hashes: start.hashes }
      const grading = answer === null ? null : await gradeAnswer({ ...given, answer }, context)
      found.push(...trialProblems({ trial, case: one, place, grading }))
    }
  }
  return found
}

function toPlaceRequest(one: SuiteCase, { sandbox, hidden, suite }: TryAnswersRequest) {
  return { one, sandbox, hidden, settings: suite.suite.sandbox }
}

function resolveTrialJudge(text: string | null): JudgeChoice | null {
  if (text === null) return null
  if (isJudgeList(text))
    throw new UserError('--judge: a list of judges', 'name one judge, such as --judge anthropic:haiku')
  const { name, model, command = null } = resolveJudgeChoice(text)
  if (name === 'auto')
    throw new UserError('--judge auto is not supported here', 'name one judge, such as --judge anthropic:haiku')
  return { engine: findEngine(name), model, command }
}

function buildTrialAnswer(one: SuiteCase, trial: Trial): Answer | null {
  switch (trial) {
    case 'null':
      return { answer: '', files: {} }
    case 'oracle':
      return one.reference && { answer: one.reference.answer ?? '', files: one.reference.files ?? {} }
  }
}

/** A reference is only an outcome, so checks on how the agent worked are undecidable for it. */
function withDecidableChecks(one: SuiteCase, trial: Trial): SuiteCase {
  const checks = one.checks.filter((check) => !isConductCheck(check))
  return trial === 'oracle' ? { ...one, checks } : one
}

interface GradeAnswerRequest {
  one: SuiteCase
  answer: Answer
  judge: JudgeChoice | null
  request: TryAnswersRequest
  /** Files already at the answer's paths: path → hex sha256. */
  hashes: ReadonlyMap<string, string>
}

async function gradeAnswer(
  { one, answer, judge, request, hashes }: GradeAnswerRequest,
  context: FlowContext,
): Promise<Grading | null> {
  await using tempDir = await openTempDir()
  const runFolder = path.join(tempDir.path, 'run')
  const outputs = path.join(runFolder, 'outputs')
  const record = await writeTrialRun({ one, answer, hashes, runFolder, outputs, at: context.now().toISOString() })
  const { env, checkEnv, sandboxFor, startIn } = await prepareTrialPlace(toPlaceRequest(one, request), tempDir, context)
  const { signal } = context
  using pace = openAccountLimiters(undefined, context)
  using work = pace.begin()
  const graded = await gradeRun({
    case: one,
    record,
    runFolder,
    skill: { name: record.eval_name, installed: true },
    judge,
    onTimeout: 'fail',
    restore: (target, state) =>
      restoreWorkspace(startIn(target), state === 'end' ? record : withoutOutputs(record), outputs),
    sandboxFor,
    env,
    checkEnv,
    credentials: judge === null ? {} : selectCredentials(judge.engine, { model: judge.model }, context.env),
    gate: judge === null ? undefined : work.gate(judge.engine, null),
    signal,
  })
  return graded?.grading ?? null
}

interface TrialRunRequest {
  one: SuiteCase
  answer: Answer
  hashes: GradeAnswerRequest['hashes']
  runFolder: string
  outputs: string
  at: string
}

/** Writes the run folder as if an agent had left this answer. An unchanged input file does not count as output. */
async function writeTrialRun({ one, answer, hashes, runFolder, outputs, at }: TrialRunRequest): Promise<RunRecord> {
  const files: RunRecord['outputs']['files'] = []
  await mkdir(outputs, { recursive: true })
  for (const [wanted, text] of Object.entries(answer.files)) {
    const name = normalizeInnerPath(wanted)
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
  if (one.environment?.programs !== undefined) await writeFile(path.join(runFolder, 'programs.jsonl'), '')
  await writeFile(path.join(runFolder, 'transcript.md'), `## Eval Prompt\n\n${one.prompt}\n\n${answer.answer}\n`)
  return buildTrialRecord(one, { answer, files, at })
}

/** No agent worked: usage is known to be zero. */
function buildTrialRecord(
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

interface TrialPlace {
  env: Record<string, string>
  /** Of command checks, with what the case sets. */
  checkEnv: Record<string, string>
  sandboxFor: (writable: readonly string[]) => Sandbox | null
  /** Builds the request that sets up the case in that folder. */
  startIn: (cwd: string) => Omit<WorkspaceRequest, 'skill'>
}

interface PlaceRequest {
  one: SuiteCase
  sandbox: SandboxChoice
  hidden: readonly string[]
  settings: Suite['sandbox']
}

/** A place in the temp directory for what the case and its checks start. */
async function prepareTrialPlace(
  { one, hidden, ...request }: PlaceRequest,
  tempDir: TempDir,
  { env: user, signal }: FlowContext,
): Promise<TrialPlace> {
  const env = buildRunEnvironment({ user, home: tempDir.path, mark: tempDir.mark, passEnv: [], hidden: [] })
  await mkdir(env.TMPDIR ?? tempDir.path, { recursive: true })
  const skillsFolders = listSkillsFolders(findEngine('command'), {})
  const { files, git, setup } = one
  const parts = { hidden, settings: request.settings }
  const checks = openCheckSurroundings(env, one.environment, { folder: tempDir.path, trust: request.sandbox })
  await checks.install()
  return {
    env,
    checkEnv: checks.env,
    sandboxFor: (writable) => confine(request.sandbox, { writable, ...parts }),
    startIn: (cwd) => ({
      ...{ cwd, files, git, setup, skillsFolders, env, setupEnv: checks.env, signal },
      sandbox: confine(request.sandbox, { writable: [cwd, tempDir.path], ...parts, phase: 'setup' }),
    }),
  }
}

/** The reference's files that exist at the start (path → hex sha256); `failed`: why the start failed. */
type TrialStart = { hashes: ReadonlyMap<string, string> } | { failed: string }

/** Sets up the case once, only to inspect it. Rejects only when aborted or on a bug. */
async function inspectTrialStart(request: PlaceRequest, context: FlowContext): Promise<TrialStart> {
  const { files, git, setup, reference } = request.one
  if (files.length === 0 && git === null && setup === null) return { hashes: new Map() }
  await using tempDir = await openTempDir()
  const cwd = path.join(tempDir.path, 'work')
  const { startIn } = await prepareTrialPlace(request, tempDir, context)
  try {
    await prepareWorkspace({ ...startIn(cwd), skill: null })
  } catch (error) {
    context.signal.throwIfAborted()
    if (error instanceof SetupError) return { failed: error.message }
    throw error
  }
  const wanted = new Set(Object.keys(reference?.files ?? {}).map((name) => path.posix.normalize(name)))
  const found = await walk(cwd, { skip: isIgnoredPath, links: 'never', unreadable: 'leave_out' })
  const known = found.files.filter((file) => wanted.has(file.path))
  return {
    hashes: new Map(await Promise.all(known.map(async (one) => [one.path, await hashFile(one.source)] as const))),
  }
}
