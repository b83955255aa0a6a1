/** The command engine: any program; the prompt on stdin or in its arguments, the answer on stdout, files in its working folder. */
import { withEndpoint, withReadable } from '../base/sandbox/policy.ts'
import { partsOfCommand } from '../base/sandbox/programs.ts'
import { type ProcessEnd, runProcess, SpawnError } from '../base/spawn.ts'
import { anchorWords, commandWords, fillWords, type Invocation, placeholdersOf } from './command_line.ts'
import {
  type Engine,
  type EngineContext,
  type EngineError,
  type EngineOutcome,
  type EngineReport,
  type EngineTask,
  emptyReport,
  type Probe,
  type ProbeRequest,
} from './engine.ts'
import { fileIdentity } from './file_identity.ts'
import { findProgram } from './find_program.ts'
import { lastJsonObject, withSchema } from './json_answer.ts'
import { complete, fail } from './outcome.ts'
import { startErrorOf } from './start_error.ts'

/** Bytes of stdout that count as the answer. */
const answerLimit = 1024 * 1024

export const command: Engine = {
  name: 'command',
  credentials: [
    'ANTHROPIC_API_KEY',
    'ANTHROPIC_AUTH_TOKEN',
    'ANTHROPIC_BASE_URL',
    'OPENAI_API_KEY',
    'OPENAI_BASE_URL',
    'CODEX_API_KEY',
    'GEMINI_API_KEY',
  ],
  skillsFolder: '.claude/skills',
  honours: 'unknown',
  hidesWork: true,
  reaches,
  probe,
  run,
}

async function probe(request: ProbeRequest): Promise<Probe> {
  request.signal.throwIfAborted()
  const parsed = commandWords(request.command)
  if ('mistake' in parsed) return badCommand(parsed.mistake, 'give one: --engine "command:./agent.sh {prompt}"')
  const asksModel = placeholdersOf(parsed.words).has('model')
  if (asksModel && request.model === null)
    return badCommand('the command has {model}, and no model is given', 'add --model')
  if (!asksModel && request.model !== null) {
    return badCommand(`the command has no {model} to put ${request.model} in`, 'add {model} to it, or drop --model')
  }
  const [program, ...words] = anchorWords(parsed.words, process.cwd())
  const found = await findProgram(program, request.env.PATH ?? '')
  if (found !== null) {
    return { ok: true, version: null, detail: `command ${found}`, identity: await fileIdentity([found, ...words]) }
  }
  const fix = 'check its spelling, that it is executable, and PATH'
  return { ok: false, kind: 'missing_binary', message: `${program}: no such program`, fix }
}

function badCommand(message: string, fix: string): Probe {
  return { ok: false, kind: 'bad_request', message, fix }
}

async function run(task: EngineTask, context: EngineContext): Promise<EngineOutcome> {
  const prompt = task.answerSchema === null ? task.prompt : withSchema(task.prompt, task.answerSchema)
  const parsed = commandWords(task.command)
  if ('mistake' in parsed) return failed(context, { kind: 'bad_request', message: parsed.mistake, retryable: false })
  const model = placeholdersOf(parsed.words).has('model') ? task.model : null
  const words = anchorWords(parsed.words, process.cwd())
  try {
    const readable = task.sandbox && withReadable(task.sandbox, await partsOfCommand(words))
    const sandbox = withEndpoint(readable, ...reaches(task))
    const end = await start(fillWords(words, { prompt, model }), { task: { ...task, sandbox }, context })
    return outcomeOf(end, { program: words[0], model, task, context })
  } catch (error) {
    if (!(error instanceof SpawnError)) throw error
    const hint = 'an argument is too long or holds a zero byte; without {prompt} the prompt goes to stdin'
    return fail(context, startErrorOf(error, hint), { report: emptyReport, step: 0 })
  }
}

/** Where a key that it was given leads: a program that asks no model is given none. */
function reaches({ credentials }: Pick<EngineTask, 'credentials'>): string[] {
  const urls = [
    [['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'], 'ANTHROPIC_BASE_URL', 'https://api.anthropic.com'],
    [['OPENAI_API_KEY', 'CODEX_API_KEY'], 'OPENAI_BASE_URL', 'https://api.openai.com'],
    [['GEMINI_API_KEY'], 'GEMINI_BASE_URL', 'https://generativelanguage.googleapis.com'],
  ] as const
  return urls.flatMap(([keys, setting, url]) => {
    const given = credentials[setting]
    if (given) return [given]
    return keys.some((key) => credentials[key]) ? [url] : []
  })
}

function start(invocation: Invocation, { task, context }: { task: EngineTask; context: EngineContext }) {
  return runProcess({
    command: invocation.program,
    args: invocation.args,
    cwd: task.cwd,
    env: { ...task.env, ...task.credentials },
    ...(invocation.stdin === null ? {} : { stdin: invocation.stdin }),
    signal: context.signal,
    stderrFile: context.stderrFile,
    stdoutLimit: answerLimit,
    sandbox: task.sandbox,
  })
}

interface Ended {
  program: string
  model: string | null
  task: EngineTask
  context: EngineContext
}

function outcomeOf(end: ProcessEnd, { program, model, task, context }: Ended): EngineOutcome {
  const text = end.stdout.trim()
  const report: EngineReport = {
    ...emptyReport,
    finalResponse: end.stdoutCut ? `${text}\n… (only the first ${answerLimit} characters are kept)` : text,
    answer: task.answerSchema === null ? undefined : lastJsonObject(text),
    model,
    exitCode: end.exitCode,
    signal: end.signal,
  }
  if (text !== '') context.emit({ type: 'assistant', step: 1, text: report.finalResponse })
  if (end.exitCode === 0) return complete(context, { ...report, stopReason: 'exit' }, 1)
  const how = end.exitCode === null ? `ended by ${end.signal}` : `exit code ${end.exitCode}`
  const message = [`${program}: ${how}`, end.stderrTail.trim()].filter(Boolean).join(': ')
  return failed(context, { kind: 'crash', message, retryable: true }, report)
}

function failed(
  context: EngineContext,
  error: Omit<EngineError, 'retryAfterMs'>,
  report: EngineReport = emptyReport,
): EngineOutcome {
  return fail(context, { ...error, retryAfterMs: null }, { report, step: 1 })
}
