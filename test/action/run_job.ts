/** Runs the steps of a workflow's job or of a composite action as GitHub's runner does; `uses` of other repositories are stand-ins. */
import { spawn } from 'node:child_process'
import { appendFileSync, closeSync, mkdtempSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parse } from 'yaml'
import { type Contexts, fillExpressions, isStepDue } from './expressions.ts'

type Texts = Readonly<Record<string, string>>

export interface Step {
  id?: string
  if?: string
  uses?: string
  run?: string
  shell?: string
  with?: Readonly<Record<string, unknown>>
  env?: Readonly<Record<string, unknown>>
  'working-directory'?: string
  'continue-on-error'?: boolean
}

/** In place of an action of another repository: gets its inputs, returns its outputs. */
export type StandIn = (inputs: Texts, checkout: string) => Texts | Promise<Texts>

export interface Job {
  /** The checkout. */
  folder: string
  /** The `github` context; the variables of the same names are set too. */
  github: Texts
  event: object
  secrets?: Texts
  /** Environment that the runner itself has. */
  env?: Texts
  /** By repository and path, without the version. */
  standIns: Readonly<Record<string, StandIn>>
}

export interface JobEnd {
  outcome: 'success' | 'failure'
  outputs: Texts
  /** Everything that the steps printed. */
  log: string
  /** What GitHub takes for commands in it, such as annotations. */
  commands: string[]
  /** The job's summary. */
  summary: string
  /** Stand-ins that ran, with their inputs. */
  used: { uses: string; with: Texts }[]
}

interface Running extends Job {
  temp: string
  end: JobEnd
  /** From $GITHUB_ENV and $GITHUB_PATH. */
  exported: Record<string, string>
  children: number[]
}

/** A step that uses the action in `action`, with `inputs`, as a job's only step. */
export async function runAction(
  job: Job,
  { action, inputs = {}, env = {} }: { action: string; inputs?: Texts; env?: Texts },
): Promise<JobEnd> {
  const running = startJob(job)
  const steps = [{ id: 'used', uses: action, with: inputs, env }]
  const ended = await runSteps(steps, running, { folder: '', contexts: {}, env: {} })
  return finishJob(running, ended)
}

/** The job of a workflow file. `inputs`: of workflow_dispatch; `isDone`: scripts whose work this machine has already. */
export async function runWorkflowJob(
  job: Job,
  { file, name, inputs, isDone }: { file: string; name: string; inputs: Texts; isDone: (script: string) => boolean },
): Promise<JobEnd> {
  const workflow = parse(readFileSync(file, 'utf8'))
  const { steps, env = {} } = workflow.jobs[name]
  const due = steps.filter(({ run = '' }: Step) => run === '' || !isDone(run))
  const running = startJob(job)
  const scope = { folder: '', contexts: { inputs }, env: { ...workflow.env, ...env } }
  return finishJob(running, await runSteps(due, running, scope))
}

function startJob(job: Job): Running {
  const temp = mkdtempSync(path.join(tmpdir(), 'runner-'))
  writeFileSync(path.join(temp, 'event.json'), JSON.stringify(job.event))
  for (const name of ['summary', 'path', 'env', 'log']) writeFileSync(path.join(temp, name), '')
  const end: JobEnd = { outcome: 'success', outputs: {}, log: '', commands: [], summary: '', used: [] }
  return { ...job, temp, end, exported: {}, children: [] }
}

function finishJob({ temp, end, children }: Running, ended: StepsEnd): JobEnd {
  for (const pid of children) {
    try {
      process.kill(-pid, 'SIGKILL') // what a step left in the background
    } catch {}
  }
  const [summary = '', log = ''] = ['summary', 'log'].map((name) => readFileSync(path.join(temp, name), 'utf8'))
  const outputs = ended.steps.used?.outputs ?? {}
  return {
    ...end,
    summary,
    log,
    commands: readCommands(log),
    outputs,
    outcome: ended.hasFailed ? 'failure' : 'success',
  }
}

/** Lines that begin with `::name`, and `##[name` anywhere, unless `::stop-commands::word` came before and `::word::` did not. */
export function readCommands(log: string): string[] {
  let word: string | null = null
  return log.split('\n').filter((line) => {
    if (word !== null) {
      if (line.trim() === `::${word}::`) word = null
      return false
    }
    word = /^\s*::stop-commands::(.+)$/.exec(line)?.[1] ?? null
    return word === null && /^\s*::\w|##\[\w/.test(line)
  })
}

interface Scope {
  /** Of the composite action; '' in a workflow. */
  folder: string
  contexts: Contexts
  env: Readonly<Record<string, unknown>>
}

interface StepsEnd {
  hasFailed: boolean
  steps: Record<string, { outputs: Texts }>
}

async function runSteps(steps: readonly Step[], job: Running, scope: Scope): Promise<StepsEnd> {
  const ended: StepsEnd = { hasFailed: false, steps: {} }
  for (const [at, step] of steps.entries()) {
    const contexts = {
      inputs: {},
      ...{ github: job.github, runner: { os: 'Linux', temp: job.temp }, secrets: job.secrets ?? {} },
      env: scope.env,
      ...scope.contexts,
      steps: ended.steps,
    }
    if (!isStepDue(step.if, contexts, ended)) continue
    const fill = (values: Readonly<Record<string, unknown>> = {}): Texts =>
      Object.fromEntries(
        Object.entries(values).map(([name, value]) => [name, fillExpressions(String(value), contexts)]),
      )
    const env = { ...fill(scope.env), ...fill(step.env) }
    const filled = {
      ...step,
      env,
      with: fill(step.with),
      'working-directory': fillExpressions(step['working-directory'] ?? '.', contexts),
    }
    const { isGood, outputs } = await runStep(filled, job, { ...scope, contexts, env })
    ended.steps[step.id ?? `step-${at}`] = { outputs }
    if (!isGood && step['continue-on-error'] !== true) ended.hasFailed = true
  }
  return ended
}

type Filled = Step & { env: Texts; with: Texts; 'working-directory': string }

async function runStep(step: Filled, job: Running, scope: Scope): Promise<{ isGood: boolean; outputs: Texts }> {
  if (step.uses === undefined) return await runScript(step, job, scope)
  const [name = ''] = step.uses.split('@')
  if (name.startsWith('.') || path.isAbsolute(name)) return await useFolder(path.resolve(job.folder, name), step, job)
  const standIn = job.standIns[name]
  if (standIn === undefined) throw new Error(`no stand-in for ${step.uses}`)
  job.end.used.push({ uses: name, with: step.with })
  try {
    return { isGood: true, outputs: await standIn(step.with, job.folder) }
  } catch (error) {
    appendFileSync(path.join(job.temp, 'log'), `${error}\n`)
    return { isGood: false, outputs: {} }
  }
}

/** A composite action of this machine. */
async function useFolder(folder: string, step: Filled, job: Running) {
  const action = parse(readFileSync(path.join(folder, 'action.yml'), 'utf8'))
  const github = { ...job.github, action_path: folder }
  const inputs = Object.fromEntries(
    Object.entries<{ default?: unknown }>(action.inputs).map(([name, one]) => [
      name,
      step.with[name] ?? fillExpressions(String(one.default ?? ''), { github }),
    ]),
  )
  const ended = await runSteps(action.runs.steps, job, {
    folder,
    contexts: { inputs, github, secrets: {} },
    env: step.env,
  })
  const outputs = Object.entries<{ value: string }>(action.outputs).map(([name, { value }]) => [
    name,
    fillExpressions(value, { steps: ended.steps, inputs, github }),
  ])
  return { isGood: !ended.hasFailed, outputs: Object.fromEntries(outputs) }
}

async function runScript(step: Filled, job: Running, scope: Scope) {
  const { temp } = job
  const output = path.join(mkdtempSync(path.join(temp, 'step-')), 'output')
  const script = path.join(path.dirname(output), 'script.sh')
  writeFileSync(output, '')
  writeFileSync(script, fillExpressions(step.run ?? '', scope.contexts))
  const named = Object.entries(job.github).map(([name, value]) => [`GITHUB_${name.toUpperCase()}`, value])
  const files = { OUTPUT: output, STEP_SUMMARY: path.join(temp, 'summary'), ENV: path.join(temp, 'env') }
  const more = { PATH: path.join(temp, 'path'), EVENT_PATH: path.join(temp, 'event.json') }
  const added = Object.entries({ ...files, ...more }).map(([name, value]) => [`GITHUB_${name}`, value])
  const env = {
    ...{ CI: 'true', GITHUB_ACTIONS: 'true', RUNNER_OS: 'Linux', RUNNER_TEMP: temp, GITHUB_WORKSPACE: job.folder },
    ...{ PATH: process.env.PATH, HOME: process.env.HOME, TMPDIR: tmpdir(), GITHUB_ACTION_PATH: scope.folder },
    XDG_STATE_HOME: path.join(temp, 'state'), // each job has a new machine
    ...job.env,
    ...Object.fromEntries([...named, ...added]),
    ...job.exported,
    ...step.env,
  }
  const cwd = path.resolve(job.folder, step['working-directory'])
  const log = openSync(path.join(temp, 'log'), 'a') // a pipe would stay open for what runs in the background
  const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', script], {
    ...{ cwd, env, detached: true },
    stdio: ['ignore', log, log],
  })
  if (child.pid !== undefined) job.children.push(child.pid)
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('exit', resolve)
  })
  closeSync(log)
  Object.assign(job.exported, readPairs(readFileSync(path.join(temp, 'env'), 'utf8')))
  const places = readFileSync(path.join(temp, 'path'), 'utf8').split('\n').filter(Boolean).reverse()
  if (places.length > 0) job.exported.PATH = [...places, process.env.PATH].join(path.delimiter)
  return { isGood: code === 0, outputs: readPairs(readFileSync(output, 'utf8')) }
}

/** `name=value`, or `name<<end` with lines until `end`. */
export function readPairs(text: string): Record<string, string> {
  const found: Record<string, string> = {}
  const lines = text.split('\n')
  for (let line = lines.shift(); line !== undefined; line = lines.shift()) {
    const [, name, end] = /^([\w-]+)<<(.+)$/.exec(line) ?? []
    const [, plain, value] = /^([\w-]+)=(.*)$/.exec(line) ?? []
    if (name !== undefined)
      found[name] = lines
        .splice(0, lines.indexOf(end ?? '') + 1)
        .slice(0, -1)
        .join('\n')
    else if (plain !== undefined) found[plain] = value ?? ''
  }
  return found
}
