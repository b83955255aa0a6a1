/** `whetstone github bench`: benches what a pull request changed, and leaves the outcome for the steps that follow. */
import { randomUUID } from 'node:crypto'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgsStringToArgv } from 'string-argv'
import { flowEvent } from '../../../schemas/flow_event.ts'
import { succeeds } from '../../base/errors/attempt.ts'
import { UserError } from '../../base/errors/error.ts'
import { tryParseJson } from '../../base/json/json.ts'
import { jsonText } from '../../base/json/json_text.ts'
import { loadExeca } from '../../base/process/execa.ts'
import { isShallowClone, openGitRepository, runGit } from '../../base/process/git.ts'
import { ownEnvironment } from '../../cli/commands/options/run_flow.ts'
import { exitCodes } from '../../cli/exit_codes.ts'
import { toExitCode } from '../../cli/print_error.ts'
import { liveView } from '../../cli/terminal/live.ts'
import type { FlowContext } from '../../flows/flow_context.ts'
import { expandSkillFolders } from '../../flows/prepare/resolve_skills.ts'
import { toGithub, workflowCommand } from '../../phases/4-report/text/github.ts'
import { toMarkdown } from '../../phases/4-report/text/markdown.ts'
import { type ActionOutcome, readOutcomeBenchmarks, toActionOutcome } from './action_outcome.ts'
import { fitPieces } from './comment_markdown.ts'
import { jobCost, worstVerdict } from './comment_text.ts'
import { readTrigger, type Trigger } from './read_trigger.ts'
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
  const streams = { stdio: ['ignore', 'pipe', 'inherit'], buffer: false } as const
  const child = loadExeca().execa(process.execPath, program, { ...streams, reject: false, forceKillAfterDelay: false })
  const pass = (signal: NodeJS.Signals) => child.kill(signal)
  process.on('SIGINT', pass).on('SIGTERM', pass)
  const resume = randomUUID()
  process.stderr.write(`::stop-commands::${resume}\n`)
  const live = liveView({ stream: process.stderr, concurrency: 1 })
  let last: unknown
  for await (const line of child) {
    last = tryParseJson(line)
    const event = flowEvent.safeParse(last)
    if (event.success) live.on(event.data)
  }
  live.end()
  const { exitCode } = await child
  process.off('SIGINT', pass).off('SIGTERM', pass)
  process.stderr.write(`::${resume}::\n`)
  return toActionOutcome(last, exitCode ?? exitCodes.interrupted)
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

/** `skipped`: nothing may be spent on this code. */
type JobPlan =
  | { status: 'start'; args: string[] }
  | { status: 'skipped'; isFailure: boolean; message: string; fix: string }

const approval =
  'a maintainer can look at the commit and start a job with "forks: approved" behind an environment with required reviewers: docs/how-to/github-action.md#pull-requests-from-forks'

/** Throws UserError for a workflow that gives its secrets to the code of a fork. */
export async function planJob(trigger: Trigger, inputs: ActionInputs, cwd: string): Promise<JobPlan> {
  const { event, isOwn } = trigger
  if (isOwn || inputs.forks === 'approved')
    return { status: 'start', args: await listBenchArguments(trigger, inputs, cwd) }
  if (event !== 'pull_request' && (await hasCommit(cwd, trigger.head)))
    throw new UserError(
      `${event}: the checkout is code from a fork, and this event gives it the secrets and the token of the repository`,
      approval,
    )
  const message =
    'The pull request comes from a fork: nothing was started, because its code could spend or read secrets.'
  return { status: 'skipped', isFailure: inputs.forks === 'fail', message, fix: approval }
}

async function hasCommit(cwd: string, commit: string | null): Promise<boolean> {
  if (commit === null) return false
  return await succeeds(runGit(cwd, ['merge-base', '--is-ancestor', commit, 'HEAD']))
}

async function listBenchArguments(trigger: Trigger, inputs: ActionInputs, cwd: string): Promise<string[]> {
  const { skills, baseline, flags } = inputs
  // a skill that is as it was has nothing to compare with the version at the base
  const start = skills.length === 0 || baseline === '' ? await findStart(cwd, trigger) : null
  const usual = start === null ? 'none' : `git:${start}`
  const chosen = baseline === '' ? usual : baseline
  const places = skills.length === 0 ? ['.'] : skills
  const all = start === null ? await expandSkillFolders(places, cwd) : places
  return [
    ...all.map((place) => (place.startsWith('-') ? `./${place}` : place)), // a folder's name is no flag
    ...(start === null ? [] : [`--changed=${start}`]),
    ...(chosen === 'none' ? [] : [`--baseline=${chosen}`]),
    ...(flags.includes('--trust-config') ? [] : await listTrustFlags(trigger, cwd)),
    ...flags,
  ]
}

/** The repository's configuration files count, apart from what a pull request changed in them or in the programs that they name. */
async function listTrustFlags(trigger: Trigger, cwd: string): Promise<string[]> {
  const { event, isOwn, pullRequest } = trigger
  if (isOwn && pullRequest === null && event !== 'merge_group') return ['--trust-config']
  const start = await findStart(cwd, trigger).catch(() => null)
  return start === null ? [] : [`--trust-config-at=${start}`]
}

/**
 * The commit that the changes started from; null: the event has none. GitHub checks out a merge of the pull request into the base as it is
 * now; the base in the event may be older, and the changes of others since then are not those of this pull request.
 */
async function findStart(cwd: string, { base, head }: Trigger): Promise<string | null> {
  if (base === null) return null
  await openGitRepository(cwd, {
    flag: 'the base of the changes',
    otherwise: 'check the repository out before this step',
  })
  const [first, second] = (await runGit(cwd, ['rev-parse', 'HEAD^@'])).split('\n')
  if (first !== undefined && second === head) return first
  const start = await runGit(cwd, ['merge-base', base, 'HEAD']).catch(() => null)
  if (start !== null) return start
  const fix = (await isShallowClone(cwd))
    ? 'give actions/checkout "fetch-depth: 0"'
    : 'name another "baseline", or the skills with "baseline: none"'
  throw new UserError(`the checkout does not have the commit that the changes started from, ${base}`, fix)
}

/** What to do with code from a fork: `approved` says that a person has looked at this commit. */
const forkRules = ['skip', 'fail', 'approved'] as const

interface ActionInputs {
  /** Empty: the skills that changed. */
  skills: string[]
  forks: (typeof forkRules)[number]
  /** Empty: the commit that the changes started from. */
  baseline: string
  /** Flags of `bench`. */
  flags: string[]
}

/** Inputs that are the flag of the same name. */
const plainFlags = ['engine', 'judge', 'runs', 'budget', 'fail-on'] as const

/** Throws UserError for a value that no input has. */
export function readActionInputs(env: FlowContext['env']): ActionInputs {
  const input = (name: string) => (env[`INPUT_${name.toUpperCase().replaceAll('-', '_')}`] ?? '').trim()
  const forks = forkRules.find((one) => one === (input('forks') || 'skip'))
  if (forks === undefined)
    throw new UserError(`forks: "${input('forks')}" is not a value`, `expected one of ${forkRules.join(', ')}`)
  const gates = input('gate')
    .split('\n')
    .flatMap((line) => line.trim() || [])
  return {
    skills: parseArgsStringToArgv(input('skills')),
    forks,
    baseline: input('baseline'),
    flags: [
      ...plainFlags.flatMap((name) => (input(name) === '' ? [] : `--${name}=${input(name)}`)),
      ...gates.map((gate) => `--gate=${gate}`),
      ...parseArgsStringToArgv(input('args')),
    ],
  }
}
