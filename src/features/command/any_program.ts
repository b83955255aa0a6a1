/** The command engine runs any program: the prompt on stdin or in its arguments, the answer on stdout, files in its working folder. */
import type { Writable } from 'node:stream'
import * as z from 'zod'
import { type ProcessEnd, runProcess, SpawnError } from '../../base/process/spawn.ts'
import { withEndpoint, withReadable } from '../../base/sandbox/policy.ts'
import { findCommandParts } from '../../base/sandbox/programs.ts'
import { withSchema } from '../../engines/answers/json_answer.ts'
import { completeRun, failRun } from '../../engines/answers/run_outcome.ts'
import { findProgram } from '../../engines/cli/find_program.ts'
import { withPlaceholders } from '../../engines/cli/key_placeholders.ts'
import { toStartError } from '../../engines/cli/run_failure.ts'
import {
  anchorWords,
  anthropicServer,
  anyProviderKeys,
  type CommandInvocation,
  fillWords,
  findPlaceholders,
  googleServer,
  openaiServer,
  reaches,
  readFileIdentity,
  splitCommandLine,
} from '../../engines/command_line.ts'
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
} from '../../engines/engine.ts'

/** Bytes of stdout that count as the answer. */
const answerLimit = 1024 * 1024

const otherSkillsFolders = ['.agents/skills', '.gemini/skills', '.qwen/skills', '.pi/skills', '.github/skills']

export const commandEngine: Engine = {
  name: 'command',
  takesCommand: {
    example: './agent.sh',
    agents: {
      aider: 'aider --yes-always --no-git --message {prompt}',
      amp: 'amp --dangerously-allow-all -x {prompt}',
      crush: 'crush run --quiet {prompt}',
    },
  },
  credentials: anyProviderKeys,
  skillsFolder: '.claude/skills',
  // where known agents look for skills: the program may start any of them
  otherSkillsFolders,
  supports: 'unknown',
  hidesWork: true,
  continuesSession: true,
  reaches,
  findPrograms,
  probe,
  run: withPlaceholders(runCommand, anthropicServer, openaiServer, googleServer),
}

async function probe(request: ProbeRequest): Promise<Probe> {
  request.signal.throwIfAborted()
  const parsed = splitCommandLine(request.command)
  if ('mistake' in parsed) return badCommand(parsed.mistake, 'pass one: --engine "command:./agent.sh {prompt}"')
  const asksModel = findPlaceholders(parsed.words).has('model')
  if (asksModel && request.model === null)
    return badCommand('the command contains {model}, but no model is given', 'add --model')
  if (!asksModel && request.model !== null) {
    return badCommand(
      `the command has no {model} placeholder for ${request.model}`,
      'add {model} to it, or drop --model',
    )
  }
  const [program, ...words] = anchorWords(parsed.words, process.cwd())
  const found = await findProgram(program, request.env.PATH ?? '')
  if (found !== null) {
    const identity = await readFileIdentity([found, ...words])
    return { ok: true, version: null, detail: `command ${found}`, identity }
  }
  const fix = 'check its spelling, its permissions and PATH'
  return { ok: false, kind: 'missing_binary', message: `${program}: no such program`, fix }
}

function badCommand(message: string, fix: string): Probe {
  return { ok: false, kind: 'bad_request', message, fix }
}

/** Runs the command with the task's credentials as they are. */
export async function runCommand(task: EngineTask, context: EngineContext): Promise<EngineOutcome> {
  const prompt = task.answerSchema === null ? task.prompt : withSchema(task.prompt, task.answerSchema)
  const parsed = splitCommandLine(task.command)
  if ('mistake' in parsed)
    return failCommand(context, { kind: 'bad_request', message: parsed.mistake, retryable: false })
  const model = findPlaceholders(parsed.words).has('model') ? task.model : null
  const words = anchorWords(parsed.words, process.cwd())
  try {
    const readable = task.sandbox && withReadable(task.sandbox, await findCommandParts(words))
    const sandbox = withEndpoint(readable, ...reaches(task))
    const invocation = fillWords(words, { prompt, model })
    const confined = { ...task, sandbox }
    if (task.nextMessage !== undefined)
      return await converseWithCommand(invocation, { task: confined, context, model, program: words[0] })
    const end = await start(invocation, { task: confined, context })
    return toCommandOutcome(end, { program: words[0], model, context })
  } catch (error) {
    if (!(error instanceof SpawnError)) throw error
    const hint = 'an argument is too long or contains a zero byte; without {prompt} the prompt goes to stdin'
    return failRun(context, toStartError(error, hint), { report: emptyReport, step: 0 })
  }
}

async function findPrograms({ command, env }: Pick<EngineTask, 'command' | 'env'>): Promise<string[]> {
  const parsed = splitCommandLine(command)
  if ('mistake' in parsed) return []
  const [program, ...words] = anchorWords(parsed.words, process.cwd())
  const found = await findProgram(program, env.PATH ?? '')
  return found === null ? words : [found, ...words]
}

function start(invocation: CommandInvocation, { task, context }: { task: EngineTask; context: EngineContext }) {
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

interface EndedCommand {
  program: string
  model: string | null
  context: EngineContext
}

function toCommandOutcome(end: ProcessEnd, { program, model, context }: EndedCommand): EngineOutcome {
  const text = end.stdout.trim()
  const report: EngineReport = {
    ...emptyReport,
    finalResponse: end.stdoutCut ? `${text}\n… (only the first ${answerLimit} characters are kept)` : text,
    model,
    exitCode: end.exitCode,
    signal: end.signal,
  }
  if (text !== '') context.emit({ type: 'assistant', step: 1, text: report.finalResponse })
  if (end.exitCode === 0) return completeRun(context, { ...report, stopReason: 'exit' }, 1)
  const how = end.exitCode === null ? `ended by ${end.signal}` : `exit code ${end.exitCode}`
  const message = [`${program}: ${how}`, end.stderrTail.trim()].filter(Boolean).join(': ')
  return failCommand(context, { kind: 'crash', message, retryable: true }, report)
}

function failCommand(
  context: EngineContext,
  error: Omit<EngineError, 'retryAfterMs'>,
  report: EngineReport = emptyReport,
): EngineOutcome {
  return failRun(context, { ...error, retryAfterMs: null }, { report, step: 1 })
}

/** The variable that tells a program that messages come line by line. */
const conversationVariable = 'WHETSTONE_CONVERSATION'

const answerLine = z.looseObject({ answer: z.string() })

interface CommandConversation {
  task: EngineTask
  context: EngineContext
  model: string | null
  program: string
}

/**
 * A conversation, one JSON object a line. To the program: {"message": "…"} for each message of the user; then its stdin is closed. From it:
 * {"answer": "…"} at the end of each turn; its other lines are not read.
 */
async function converseWithCommand(
  invocation: CommandInvocation,
  { task, context, model, program }: CommandConversation,
): Promise<EngineOutcome> {
  const said = { step: 0, text: '', isOver: false, next: Promise.resolve() }
  const pipe: { stdin: Writable | null } = { stdin: null }
  const send = (message: string) => pipe.stdin?.write(`${JSON.stringify({ message })}\n`)
  const failed = new AbortController()
  const goOn = async () => {
    const message = await task.nextMessage?.({ text: said.text, step: said.step })
    if (message != null) return void send(message)
    said.isOver = true
    pipe.stdin?.end()
  }
  const report = (end: Partial<Pick<EngineReport, 'exitCode' | 'signal'>> = {}): EngineReport => ({
    ...emptyReport,
    ...end,
    finalResponse: said.text,
    model,
  })
  context.soFar?.(() => Promise.resolve(report()))
  const end = await runProcess({
    command: invocation.program,
    args: invocation.args,
    cwd: task.cwd,
    env: { ...task.env, ...task.credentials, [conversationVariable]: 'lines' },
    stdin(stdin) {
      pipe.stdin = stdin
      stdin.on('error', () => {}) // it may have ended: its exit says why
      if (invocation.stdin !== null) send(invocation.stdin)
    },
    signal: AbortSignal.any([context.signal, failed.signal]),
    onLine(line) {
      const answer = readAnswerLine(line)
      if (answer === null || said.isOver) return undefined
      said.step += 1
      said.text = answer
      context.emit({ type: 'assistant', step: said.step, text: answer })
      said.next = goOn().catch((error: unknown) => failed.abort(error))
      return undefined
    },
    stderrFile: context.stderrFile,
    stdoutLimit: 0, // only the lines are used
    sandbox: task.sandbox,
  })
  await said.next // a program may end right after its last answer
  const ended = report({ exitCode: end.exitCode, signal: end.signal })
  if (end.exitCode === 0 && said.isOver) return completeRun(context, { ...ended, stopReason: 'exit' }, said.step)
  const how = end.exitCode === null ? `ended by ${end.signal}` : `exit code ${end.exitCode}`
  const stderr = end.stderrTail.trim()
  const error: EngineError =
    end.exitCode === 0
      ? {
          kind: 'bad_output',
          message: `${program} ended after ${said.step} answers, before the conversation was over; it must print a line {"answer": "…"} for each message and read the next line`,
          retryable: false,
          retryAfterMs: null,
        }
      : {
          kind: 'crash',
          message: [`${program}: ${how}`, stderr].filter(Boolean).join(': '),
          retryable: true,
          retryAfterMs: null,
        }
  return failRun(context, error, { report: ended, step: said.step })
}

/** null: the line is not an answer. */
function readAnswerLine(line: string): string | null {
  if (!line.startsWith('{')) return null
  try {
    const parsed = answerLine.safeParse(JSON.parse(line))
    return parsed.success ? parsed.data.answer : null
  } catch {
    return null
  }
}
