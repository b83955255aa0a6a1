/** The Codex engine: OpenAI's real CLI, headless, in a home of its own. */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { withEndpoint, withReadable } from '../base/sandbox/policy.ts'
import { type ProcessEnd, runProcess, SpawnError } from '../base/spawn.ts'
import { openaiAccount } from './account.ts'
import { findCli, missingCli } from './agent_cli.ts'
import { codexArguments, codexEnvironment, codexHome, codexKeys, endpointOf } from './codex/argv.ts'
import { CodexJournal } from './codex/journal.ts'
import { confinementOf, programFolders } from './codex/own_sandbox.ts'
import { codexCli, probeCodex } from './codex/probe.ts'
import { failureOf, reportOf } from './codex/report.ts'
import { CodexStream } from './codex/stream.ts'
import { codexHonours } from './codex/surroundings.ts'
import { isPriced } from './cost.ts'
import { type Engine, type EngineContext, type EngineOutcome, type EngineTask, emptyReport } from './engine.ts'
import { withSchema } from './json_answer.ts'
import { complete, fail } from './outcome.ts'
import { startErrorOf } from './start_error.ts'
import { strictSchema } from './strict_schema.ts'

const skillsFolder = '.agents/skills'

export const codex: Engine = {
  name: 'codex',
  credentials: [...codexKeys, 'OPENAI_BASE_URL', 'WHETSTONE_CODEX'],
  address: 'OPENAI_BASE_URL',
  readsAbove: false,
  skillsFolder,
  account: { slots: 'runs', of: openaiAccount },
  honours: codexHonours,
  reaches,
  probe: probeCodex,
  // which model it takes by itself is known only when it has run
  async reports(model) {
    if (model === null) return { cost: false, tokens: true }
    const priced = { model, provider: 'openai' }
    return { cost: await isPriced(priced), tokens: true, priced }
  },
  run,
}

function reaches({ credentials }: Pick<EngineTask, 'credentials'>): string[] {
  return [endpointOf(credentials)]
}

/** Between two looks at whether the last response that it may have has done its work. */
const lookMs = 25

async function run(task: EngineTask, context: EngineContext): Promise<EngineOutcome> {
  context.signal.throwIfAborted()
  const program = await findCli(codexCli, task)
  if (program === null) return missing(missingCli(codexCli, task.credentials).message, context)
  const journal = new CodexJournal(codexHome(task))
  const stream = new CodexStream({ skills: task.skills, skillsFolder, emit: context.emit, journal })
  context.soFar?.(() => reportOf(stream, journal, { task, end: null }))
  const enough = new AbortController()
  const look = task.maxTurns === null ? null : setInterval(() => stopAt(task.maxTurns, journal, enough), lookMs)
  try {
    const end = await start({ program, task, context, stream, enough: enough.signal })
    stream.tellBlocks()
    const report = await reportOf(stream, journal, { task, end })
    const failure = end === null ? null : failureOf(stream, end)
    if (failure !== null) return fail(context, failure, { report, step: stream.step })
    return complete(context, report, stream.step)
  } catch (error) {
    if (!(error instanceof SpawnError)) throw error
    return fail(context, startErrorOf(error, 'an argument is too long'), { report: emptyReport, step: 0 })
  } finally {
    if (look !== null) clearInterval(look)
    journal.catchUp()
    journal.close()
    await leave(task)
  }
}

/** It has no limit of turns itself: it is ended once the last response that it may have has had its tools run. */
function stopAt(maxTurns: number | null, journal: CodexJournal, enough: AbortController): void {
  journal.catchUp()
  const isOver =
    maxTurns !== null && (journal.responses > maxTurns || (journal.responses === maxTurns && journal.isMidway))
  if (isOver) enough.abort()
}

interface Start {
  program: string
  task: EngineTask
  context: EngineContext
  stream: CodexStream
  enough: AbortSignal
}

/** How the process ended; null: it had had its turns. */
async function start({ program, task, context, stream, enough }: Start): Promise<ProcessEnd | null> {
  const { CODEX_HOME: home = '', TMPDIR: temporary = home } = codexEnvironment(task)
  await Promise.all([home, temporary].map((folder) => mkdir(folder, { recursive: true })))
  const strict = task.answerSchema === null ? null : strictSchema(task.answerSchema)
  const schemaFile = strict === null ? null : path.join(home, 'answer_schema.json')
  if (schemaFile !== null) await writeFile(schemaFile, JSON.stringify(strict))
  const isTold = task.answerSchema !== null && strict === null
  const confinement = await confinementOf(task, program)
  const sandbox = withReadable(task.sandbox, task.sandbox === null ? [] : await programFolders(program, task))
  try {
    return await runProcess({
      command: program,
      args: codexArguments(task, { schemaFile, confinement }),
      cwd: task.cwd,
      env: codexEnvironment(task),
      stdin: isTold && task.answerSchema !== null ? withSchema(task.prompt, task.answerSchema) : task.prompt,
      signal: AbortSignal.any([context.signal, enough]),
      onLine: (line) => (stream.take(line) ? 'last' : undefined),
      stderrFile: context.stderrFile,
      stdoutLimit: 0, // the lines are all that is used
      sandbox: withEndpoint(sandbox, ...reaches(task)),
    })
  } catch (error) {
    context.signal.throwIfAborted()
    if (!enough.aborted) throw error
    return null
  }
}

/** Takes its folders away: judges share a home, and each would leave more than a megabyte there. */
async function leave(task: EngineTask): Promise<void> {
  const home = codexHome(task)
  const gone = { recursive: true, force: true, maxRetries: 3 }
  await Promise.all([home, `${home}.tmp`].map((folder) => rm(folder, gone).catch(() => {})))
}

function missing(message: string, context: EngineContext): EngineOutcome {
  const error = { kind: 'missing_binary', message, retryable: false, retryAfterMs: null } as const
  return fail(context, error, { report: emptyReport, step: 0 })
}
