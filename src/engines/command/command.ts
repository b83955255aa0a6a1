/** The command engine runs any program: the prompt on stdin or in its arguments, the answer on stdout, files in its working folder. */
import { type ProcessEnd, runProcess, SpawnError } from '../../base/process/spawn.ts'
import { withEndpoint, withReadable } from '../../base/sandbox/policy.ts'
import { findCommandParts } from '../../base/sandbox/programs.ts'
import { withSchema } from '../answers/json_answer.ts'
import { completeRun, failRun } from '../answers/run_outcome.ts'
import { findProgram } from '../cli/find_program.ts'
import { type KeyedServer, withPlaceholders } from '../cli/key_placeholders.ts'
import { toStartError } from '../cli/run_failure.ts'
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
} from '../engine.ts'
import { chatRequests, messagesRequests, responsesRequests } from '../models/wire_requests.ts'
import {
  anchorWords,
  type CommandInvocation,
  fillWords,
  findPlaceholders,
  readFileIdentity,
  splitCommandLine,
} from './command_line.ts'
import { converseWithCommand } from './converse.ts'

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
  // where known agents look for skills: the program may start any of them
  otherSkillsFolders,
  supports: 'unknown',
  hidesWork: true,
  continuesSession: true,
  reaches,
  findPrograms,
  probe,
  run: withPlaceholders(runCommand, anthropicServer, openaiServer),
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

/**
 * A program may ignore the variable with the base URL. So it gets a placeholder only if that changes nothing: you gave a base URL, and the
 * sandbox lets the program reach nothing else.
 */
function keyedServer({ credentials, sandbox }: EngineTask, server: Omit<KeyedServer, 'url'>): KeyedServer | null {
  const url = credentials[server.address]
  return url && sandbox?.policy.network === 'none' ? { ...server, url } : null
}

/** Programs differ in whether the base URL has the /v1. */
function withAndWithoutVersion(requests: KeyedServer['requests']): KeyedServer['requests'] {
  return [...new Set(requests)].flatMap((one) => {
    const [method, path = ''] = one.split(/ (?:\/v1)?/)
    return [`${method} ${path}`, `${method} /v1${path}`] as KeyedServer['requests']
  })
}

/** Anthropic's server with its keys, for a program about which nothing is known; null: it gets the keys themselves. */
export function anthropicServer(task: EngineTask): KeyedServer | null {
  return keyedServer(task, {
    address: 'ANTHROPIC_BASE_URL',
    keys: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'],
    requests: withAndWithoutVersion(messagesRequests),
    provider: 'anthropic',
  })
}

/** The same for OpenAI's server. */
export function openaiServer(task: EngineTask): KeyedServer | null {
  return keyedServer(task, {
    address: 'OPENAI_BASE_URL',
    keys: ['OPENAI_API_KEY', 'CODEX_API_KEY'],
    requests: withAndWithoutVersion([...responsesRequests, ...chatRequests]),
    provider: 'openai',
  })
}

/** The program, and each file that the command line names. */
async function findPrograms({ command, env }: Pick<EngineTask, 'command' | 'env'>): Promise<string[]> {
  const parsed = splitCommandLine(command)
  if ('mistake' in parsed) return []
  const [program, ...words] = anchorWords(parsed.words, process.cwd())
  const found = await findProgram(program, env.PATH ?? '')
  return found === null ? words : [found, ...words]
}

/** The servers of the base URLs and keys that the program gets. A program that uses no model needs neither. */
export function reaches({ credentials }: Pick<EngineTask, 'credentials'>): string[] {
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
