/** Checks whether an agent can be used over ACP, by opening a session; no prompt is sent, so nothing is paid for. */
import { endMarked } from '../../base/process/marked_processes.ts'
import { runMark } from '../../base/process/process_marks.ts'
import { startTimeLimit } from '../../base/time/time_limit.ts'
import { readFileIdentity } from '../../engines/command_line.ts'
import type { Probe, ProbeRequest } from '../../engines/engine.ts'
import { startAgentProcess } from './agent_process.ts'
import { type Handshake, shakeHands } from './handshake.ts'
import { findAgent, openPlainRun, parseAgentCommand, takesModel } from './plain_agent.ts'
import { AcpSession, endFailure } from './session.ts'

const docs = 'see docs/reference/engines/acp.md for command lines that are known to work'

/** Rejects only when aborted. */
export async function probeAgent(request: ProbeRequest, limits: { startMs: number }): Promise<Probe> {
  request.signal.throwIfAborted()
  const parsed = parseAgentCommand(request.command)
  if ('words' in parsed) return await probePlain(parsed.words, request, limits)
  const fix = 'give a command line: --engine "acp:goose acp"'
  return { ok: false, kind: 'bad_request', message: parsed.mistake, fix }
}

async function probePlain(
  line: readonly [string, ...string[]],
  request: ProbeRequest,
  { startMs }: { startMs: number },
): Promise<Probe> {
  const { program, words } = await findAgent(line, request.env)
  if (program === null) {
    const fix = 'check its spelling, its permissions and PATH'
    return { ok: false, kind: 'missing_binary', message: `${line[0]}: no such program`, fix }
  }
  const isInLine = takesModel(words)
  if (isInLine && request.model === null) {
    const message = 'the command contains {model}, but no model is given'
    return { ok: false, kind: 'bad_request', message, fix: 'add --model' }
  }
  const opened = await openOnce({ program, words, model: isInLine ? null : request.model }, request, startMs)
  if (!opened.ok) {
    const { kind, message } = opened.error
    return { ok: false, kind, message: `${line[0]}: ${message}`, fix: opened.fix ?? docs }
  }
  const { agentInfo } = opened.agent
  const name = agentInfo === null || agentInfo === undefined ? '' : ` (${agentInfo.name} ${agentInfo.version ?? ''})`
  const identity = await readFileIdentity([program, ...words.slice(1)])
  return { ok: true, version: agentInfo?.version ?? null, detail: `${program}${name} over ACP`, identity }
}

interface Once {
  program: string
  words: readonly [string, ...string[]]
  /** To be set in the session; null: none. */
  model: string | null
}

async function openOnce({ program, words, model }: Once, request: ProbeRequest, startMs: number): Promise<Handshake> {
  const cwd = request.env.HOME ?? '/'
  const { args, env } = openPlainRun(words, request)
  let other: string | null = null
  const process = startAgentProcess({
    ...{ launch: { command: program, cwd, env, sandbox: null }, args, stderrFile: null },
    onNotification() {},
    onOtherLine: (line) => {
      other = line
    },
  })
  using limit = startTimeLimit(startMs, [request.signal])
  try {
    const session = await AcpSession.connect(process.stream, () => ({ outcome: 'cancelled' }))
    const late = new Promise<never>((_, reject) => {
      limit.signal.addEventListener('abort', () => reject(limit.signal.reason))
    })
    return await Promise.race([shakeHands({ session, cwd, task: { env: request.env, tools: 'none' }, model }), late])
  } catch {
    request.signal.throwIfAborted()
    const told = { spoke: false, unreadable: other }
    if (!limit.signal.aborted) return { ok: false, error: endFailure(await process.ended, told), fix: null }
    const end = { exitCode: null, signal: null, stderrTail: '' }
    const error = { ...endFailure(end, told), message: `it did not open an ACP session within ${startMs / 1000} s` }
    return { ok: false, error, fix: null }
  } finally {
    process.stop(new Error('probed'))
    await process.ended.catch(() => {})
    const mark = request.env[runMark]
    if (mark) await endMarked(mark)
  }
}
