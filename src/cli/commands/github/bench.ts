/** `whetstone github bench`: benches what a pull request changed, and leaves the outcome for the steps that follow. */
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { flowEvent } from '../../../../schemas/flow_event.ts'
import { UserError } from '../../../base/errors/error.ts'
import { tryParseJson } from '../../../base/json/json.ts'
import { jsonText } from '../../../base/json/json_text.ts'
import { readActionInputs } from '../../../flows/github/action_inputs.ts'
import { type ActionOutcome, readOutcomeBenchmarks, toActionOutcome } from '../../../flows/github/action_outcome.ts'
import { planJob } from '../../../flows/github/plan_job.ts'
import { readTrigger } from '../../../flows/github/read_trigger.ts'
import { toGithub, workflowCommand } from '../../../phases/4-report/text/github.ts'
import { toMarkdown } from '../../../phases/4-report/text/markdown.ts'
import { fitPieces } from '../../../phases/4-report/text/pull_request/comment_markdown.ts'
import { jobCost, worstVerdict } from '../../../phases/4-report/text/pull_request/comment_text.ts'
import { toExitCode } from '../../error_code.ts'
import { exitCodes } from '../../exit_codes.ts'
import { liveView } from '../../terminal/live.ts'
import { ownEnvironment } from '../../user_environment.ts'
import { writeJobSummary, writeStepOutputs } from './workflow_files.ts'

type Problem = NonNullable<ActionOutcome['problem']>

/** Returns the exit code of `bench`; 0 where nothing may or need be benched. */
export async function benchForPullRequest(): Promise<number> {
  const { outcome, isOwn } = await findOutcome()
  const { status, problem, exit_code, skills } = outcome
  if (problem !== null) {
    const level = status === 'failed' ? 'error' : status === 'skipped' ? 'warning' : 'notice'
    annotate(level, problem)
  }
  for (const { error } of skills) if (error !== null) annotate('error', error)
  const read = await readOutcomeBenchmarks(outcome)
  await writeReport(read)
  await writeOutputs(outcome, read, isOwn)
  return exit_code
}

type ReadSkills = Awaited<ReturnType<typeof readOutcomeBenchmarks>>

/** GitHub shows no summary of a step beyond 1 MiB. */
const longestSummary = 1_000_000

/** The annotations and the summary that the reporter `github` writes. */
async function writeReport(skills: ReadSkills): Promise<void> {
  const reported = skills.flatMap(({ benchmark, ...one }) => (benchmark === null ? [] : { ...one, benchmark }))
  if (reported.length === 0) return
  process.stderr.write(`${toGithub(reported).join('\n')}\n`)
  const texts = reported.map(({ benchmark }) => toMarkdown(benchmark))
  await writeJobSummary(fitPieces(texts, '', longestSummary))
}

function annotate(level: 'error' | 'warning' | 'notice', { message, fix }: Problem): void {
  const text = fix === null ? message : `${message} What to do: ${fix}`
  process.stderr.write(`${workflowCommand(level, 'Whetstone', text)}\n`)
}

/** `isOwn`: the code is from the repository itself, so later jobs may reuse its runs. */
async function findOutcome(): Promise<{ outcome: ActionOutcome; isOwn: boolean }> {
  const none = { report: null, skills: [] }
  try {
    const env = ownEnvironment()
    const trigger = await readTrigger(env)
    const { isOwn } = trigger
    const plan = await planJob(trigger, readActionInputs(env), process.cwd())
    if (plan.status === 'start') return { outcome: withSecretHint(await runBench(plan.args)), isOwn }
    const { isFailure, message, fix } = plan
    const exit_code = isFailure ? exitCodes.incomplete : exitCodes.done
    return { outcome: { ...none, status: 'skipped', problem: { message, fix }, exit_code }, isOwn }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    const { message, fix } = error
    const outcome = { ...none, status: 'failed' as const, problem: { message, fix }, exit_code: toExitCode(error) }
    return { outcome, isOwn: false }
  }
}

/**
 * A process of its own, with the progress in the log, where names and messages of suites are no workflow commands. A signal to this process
 * reaches it, so that a cancelled job ends as Ctrl-C does.
 */
async function runBench(args: readonly string[]): Promise<ActionOutcome> {
  const program = [...process.execArgv, process.argv[1] ?? '', 'bench', '--json', ...args]
  const child = spawn(process.execPath, program, { stdio: ['ignore', 'pipe', 'inherit'] })
  const pass = (signal: NodeJS.Signals) => child.kill(signal)
  process.on('SIGINT', pass).on('SIGTERM', pass)
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', (code) => resolve(code))
  })
  const resume = randomUUID()
  process.stderr.write(`::stop-commands::${resume}\n`)
  const live = liveView({ stream: process.stderr, concurrency: 1 })
  let last: unknown
  for await (const line of createInterface({ input: child.stdout })) {
    last = tryParseJson(line)
    const event = flowEvent.safeParse(last)
    if (event.success) live.on(event.data)
  }
  live.end()
  const code = await ended
  process.off('SIGINT', pass).off('SIGTERM', pass)
  process.stderr.write(`::${resume}::\n`)
  return toActionOutcome(last, code ?? exitCodes.interrupted)
}

/** Says where a missing key belongs, in a workflow. */
function withSecretHint(outcome: ActionOutcome): ActionOutcome {
  const add = (problem: Problem | null) => {
    const [name] = /\b[A-Z][A-Z0-9_]*_(?:KEY|TOKEN)\b/.exec(`${problem?.message} ${problem?.fix}`) ?? []
    if (problem === null || name === undefined || process.env[name]) return problem
    const fix = `add a secret ${name} to the repository (Settings, Secrets and variables, Actions) and pass it to the step: env: { ${name}: "\${{ secrets.${name} }}" }`
    return { ...problem, fix }
  }
  const skills = outcome.skills.map((one) => ({ ...one, error: add(one.error) }))
  return { ...outcome, problem: add(outcome.problem), skills }
}

async function writeOutputs(outcome: ActionOutcome, skills: ReadSkills, isOwn: boolean): Promise<void> {
  const { status, exit_code, report } = outcome
  const folder = await mkdtemp(path.join(process.env.RUNNER_TEMP || tmpdir(), 'whetstone-'))
  const file = path.join(folder, 'outcome.json')
  await writeFile(file, jsonText(outcome))
  const benchmarks = skills.flatMap(({ folder }) => folder ?? [])
  const cost = jobCost(skills)
  await writeStepOutputs({
    'exit-code': String(exit_code),
    verdict: worstVerdict({ status, skills }),
    cost: cost === null ? '' : String(cost),
    report: benchmarks.length === 0 ? '' : (report ?? ''),
    benchmarks: benchmarks.join('\n'),
    cache: String(isOwn && benchmarks.length > 0),
    outcome: file,
  })
}
