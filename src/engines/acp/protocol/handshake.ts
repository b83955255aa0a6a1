/** Opens a session with an agent that has just been started: version, MCP servers, model. Ends before anything is paid for. */
import * as z from 'zod'
import { toRunError } from '../../cli/run_failure.ts'
import type { EngineError, EngineTask } from '../../engine.ts'
import { describeLogins, requestFailure, versionFailure } from './failure.ts'
import { readMcpServers } from './mcp_servers.ts'
import type { InitializeResult, NewSessionResult } from './records.ts'
import { AcpError, type AcpSession } from './session.ts'
import { readCurrentModel, requestModel, setModel } from './session_model.ts'

export interface HandshakeRequest {
  session: AcpSession
  /** As the agent sees it, absolute. */
  cwd: string
  task: Pick<EngineTask, 'environment' | 'env' | 'tools'>
  /** To be set in the session; null: none. */
  model: string | null
}

/** `fix`: what the user can do, where that is known. */
export type Handshake =
  | { ok: true; agent: InitializeResult; started: NewSessionResult; model: string | null }
  | { ok: false; error: EngineError; fix: string | null }

/** Rejects with an error that is not about the protocol, such as the end of the agent's process. */
export async function shakeHands({ session, cwd, task, model }: HandshakeRequest): Promise<Handshake> {
  let login = ''
  try {
    const agent = await session.initialize()
    login = describeLogins(agent)
    const mismatch = versionFailure(agent)
    if (mismatch !== null) return { ok: false, error: mismatch, fix: 'use a version of the agent that speaks this one' }
    const servers = await readMcpServers(task, agent)
    if ('mistake' in servers) return { ok: false, error: toRunError('bad_request', servers.mistake), fix: null }
    const started = await session.start(cwd, servers)
    if (model === null) return { ok: true, agent, started, model: readCurrentModel(started) }
    const request = requestModel(started, model)
    if ('mistake' in request) return { ok: false, error: toRunError('bad_request', request.mistake), fix: request.fix }
    await setModel(session, request)
    return { ok: true, agent, started, model }
  } catch (error) {
    if (error instanceof AcpError) {
      const failure = requestFailure(error, login)
      const fix =
        failure.kind === 'credentials'
          ? 'give the agent a key in its environment, or log in with its own command'
          : null
      return { ok: false, error: failure, fix }
    }
    if (!(error instanceof z.ZodError)) throw error
    const [issue] = error.issues
    const message = `the agent's answer is not valid ACP (${issue?.path.join('.') || 'its whole answer'}: ${issue?.message ?? ''})`
    return { ok: false, error: toRunError('bad_output', message), fix: null }
  }
}
