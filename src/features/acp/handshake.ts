/** Opens a session with an agent that has just been started: version, MCP servers, model. Ends before anything is paid for. */
import type { McpServer } from '@agentclientprotocol/sdk'
import * as z from 'zod'
import { toRunError } from '../../engines/cli/run_failure.ts'
import type { EngineError, EngineTask } from '../../engines/engine.ts'
import { readSuiteServers } from '../../engines/environment/suite_servers.ts'
import type { InitializeResult, NewSessionResult } from './records.ts'
import { AcpError, type AcpSession, describeLogins, requestFailure, versionFailure } from './session.ts'

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
    await session.inSession(z.unknown(), request.method, request.params)
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

type Models = Pick<NewSessionResult, 'configOptions' | 'models'>

/** The request that sets this model; `mistake`: why there is none. */
type ModelRequest = { method: string; params: object } | { mistake: string; fix: string }

/** The model that the session has at its start; null: not reported. */
function readCurrentModel(session: Models): string | null {
  const current = findOption(session)?.currentValue
  return typeof current === 'string' ? current : (session.models?.currentModelId ?? null)
}

/** How to set a model: by the session's option for it, or by the older request for models. Pure. */
function requestModel(session: Models, model: string): ModelRequest {
  const option = findOption(session)
  const values = (option?.options ?? []).flatMap((one) =>
    'options' in one && Array.isArray(one.options) ? one.options.map(({ value }) => value) : [one.value],
  )
  if (option !== undefined && values.includes(model)) {
    return { method: 'session/set_config_option', params: { configId: option.id, value: model } }
  }
  const ids = session.models?.availableModels.map(({ modelId }) => modelId) ?? []
  if (ids.includes(model)) return { method: 'session/set_model', params: { modelId: model } }
  const offered = [...new Set([...values, ...ids].filter((one) => typeof one === 'string'))]
  if (offered.length === 0) {
    const fix = 'name the model in the command line ({model} is replaced), or remove --model'
    return { mistake: `the agent does not let a client choose its model (${model})`, fix }
  }
  const list = offered.slice(0, 20).join(', ')
  return { mistake: `the agent does not offer the model ${model}`, fix: `expected one of ${list}` }
}

function findOption({ configOptions }: Models) {
  return configOptions?.find(({ id, category }) => category === 'model' || id === 'model')
}

/** The servers of the task, or why the agent can't use one. */
async function readMcpServers(
  task: Pick<EngineTask, 'environment' | 'env' | 'tools'>,
  { agentCapabilities }: InitializeResult,
): Promise<McpServer[] | { mistake: string }> {
  const able = agentCapabilities?.mcpCapabilities
  const servers: McpServer[] = []
  for (const server of await readSuiteServers(task)) {
    const { name, type } = server
    if (type === 'stdio') {
      servers.push({ name, command: server.command, args: server.args, env: toPairs(server.env) })
      continue
    }
    if (able?.[type] !== true)
      return { mistake: `the agent can't use the MCP server ${name}: it does not support ${type}` }
    servers.push({ type, name, url: server.url, headers: toPairs(server.headers) })
  }
  return servers
}

function toPairs(record: Readonly<Record<string, string>>): { name: string; value: string }[] {
  return Object.entries(record).map(([name, value]) => ({ name, value }))
}
