/** Whether opencode can work here: the program, its version, ripgrep, a model, a key. */
import { versionOf } from '../cli_version.ts'
import type { Probe, ProbeRequest } from '../engine.ts'
import { findProgram } from '../find_program.ts'
import { opencodeEnvironment } from './argv.ts'
import { keyOf, opencodeModel } from './model.ts'

const leastVersion = '1.18.0'
const update = 'opencode upgrade, or npm install -g opencode-ai'

type Failure = Extract<Probe, { ok: false }>

/** The program that is asked for, or `opencode` on PATH; null: there is none. */
export function findOpencode({ credentials, env }: Pick<ProbeRequest, 'credentials' | 'env'>): Promise<string | null> {
  return findProgram(credentials.WHETSTONE_OPENCODE || 'opencode', env.PATH ?? '')
}

/** The message and the mending of a program that is not there. */
export function missingOpencode({ WHETSTONE_OPENCODE: asked }: Readonly<Record<string, string>>): Failure {
  const message = asked ? `WHETSTONE_OPENCODE: ${asked}: no such program` : 'no opencode on PATH'
  const fix = 'npm install -g opencode-ai, or name the program in WHETSTONE_OPENCODE'
  return { ok: false, kind: 'missing_binary', message, fix }
}

export async function probeOpencode(request: ProbeRequest): Promise<Probe> {
  request.signal.throwIfAborted()
  const { credentials, env, signal } = request
  const program = await findOpencode(request)
  if (program === null) return missingOpencode(credentials)
  const model = opencodeModel(request.model, credentials)
  if ('mistake' in model) {
    return { ok: false, kind: 'bad_request', message: model.mistake, fix: 'give anthropic/MODEL or openai/MODEL' }
  }
  const key = keyOf(model)
  if (!credentials[key]) {
    const message = `opencode has no key for ${model.provider}/${model.id}: ${key} is unset`
    return { ok: false, kind: 'credentials', message, fix: `export ${key}=…, or name a model of the other provider` }
  }
  if ((await findProgram('rg', env.PATH ?? '')) === null) {
    const message = 'opencode needs ripgrep (rg) on PATH: without it each run would download its own'
    return { ok: false, kind: 'missing_binary', message, fix: 'apt-get install ripgrep, or brew install ripgrep' }
  }
  const own = opencodeEnvironment({ env, credentials: {}, sessionId: 'probe', model: null, tools: 'all' })
  const version = await versionOf({ program, env: own, leastVersion, update, signal })
  if (typeof version !== 'string') return version
  return { ok: true, version, detail: `opencode ${version} at ${program}, ${model.provider}/${model.id}` }
}
