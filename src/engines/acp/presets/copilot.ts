/** GitHub Copilot CLI over ACP: `copilot --acp`, with a folder of its own, on a model server of the user's choice, without a login. */
import { mkdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { type AgentCli, type ProbeFailure, probeCli } from '../../cli/agent_cli.ts'
import type { KeyedServer } from '../../cli/key_placeholders.ts'
import type { EngineTask, PricedModel, Probe, ProbeRequest, ProviderError } from '../../engine.ts'
import { saysContextFull } from '../../limits/context_full.ts'
import { classifyErrorText } from '../../limits/error_text.ts'
import { kindOfStatus } from '../../limits/http_status.ts'
import { isPriced } from '../../models/cost.ts'
import { chooseProviderModel, providerKeyName, providerKeys, providerServer } from '../../models/provider_model.ts'
import type { AcpPreset, AcpRun } from './preset.ts'

const copilotCli: AgentCli = {
  name: 'copilot',
  variable: 'WHETSTONE_COPILOT',
  package: '@github/copilot',
  leastVersion: '1.0.0',
  update: 'copilot update',
}

/** Of a server of the user's own; they win over the keys of Anthropic and OpenAI. */
const ownServer = ['COPILOT_PROVIDER_BASE_URL', 'COPILOT_PROVIDER_TYPE', 'COPILOT_PROVIDER_API_KEY', 'COPILOT_MODEL']

/** Its own commands, which it lists with the skills. */
const ownCommands =
  'add-dir after allow-all autopilot blame chronicle compact context cwd env every fleet init list-dirs mcp memory model permissions plan plugin remote rename research reset-allowed-tools review sandbox security-review session share skills subconscious usage'.split(
    ' ',
  )

export const copilotPreset: AcpPreset = {
  cli: copilotCli,
  credentials: [...providerKeys, ...ownServer],
  model: chooseModel,
  server,
  probe,
  async reports(name) {
    const chosen = chooseModel(name, {})
    return 'mistake' in chosen
      ? { cost: false, tokens: true }
      : { cost: await isPriced(chosen), tokens: true, priced: chosen }
  },
  describe({ rawInput, title }) {
    const isSkill = title?.startsWith('Using skill:') === true
    return isSkill ? { name: 'skill', input: rawInput ?? { title } } : null
  },
  readError,
  open,
}

/** It ends the turn as if all were well, with its retries and the error as text. */
function readError(text: string): ProviderError | null {
  const [, message] = /^(?:Info: [^\n]*?retrying\.\.\.)*Error: ([\s\S]+)$/i.exec(text) ?? []
  if (message === undefined) return null
  const [, status] = /(?:^|HTTP |Last error: )([45]\d\d)\b/.exec(message) ?? []
  if (saysContextFull(message)) return { kind: 'bad_request', message }
  return { kind: status === undefined ? classifyErrorText(message) : kindOfStatus(Number(status)), message }
}

type Credentials = EngineTask['credentials']

function chooseModel(model: string | null, credentials: Credentials): PricedModel | { mistake: string } {
  if (!credentials.COPILOT_PROVIDER_BASE_URL) {
    const chosen = chooseProviderModel('copilot', model, credentials)
    return 'mistake' in chosen ? chosen : { model: chosen.id, provider: chosen.provider }
  }
  const id = model ?? credentials.COPILOT_MODEL
  if (!id) return { mistake: 'copilot needs a model on your own server: COPILOT_PROVIDER_BASE_URL is set' }
  return { model: id, provider: credentials.COPILOT_PROVIDER_TYPE || 'openai' }
}

function server({ model, credentials }: Pick<EngineTask, 'model' | 'credentials'>): KeyedServer | null {
  const own = credentials.COPILOT_PROVIDER_BASE_URL
  if (own) return { address: 'COPILOT_PROVIDER_BASE_URL', url: own, keys: ['COPILOT_PROVIDER_API_KEY'] }
  const chosen = chooseProviderModel('copilot', model, credentials)
  return 'mistake' in chosen ? null : providerServer(chosen, credentials)
}

async function probe(request: ProbeRequest): Promise<Probe> {
  const chosen = chooseModel(request.model, request.credentials)
  return probeCli(copilotCli, request, {
    env: request.env,
    ...('mistake' in chosen ? {} : { model: `${chosen.provider}/${chosen.model}` }),
    failure: async () => findKeyFailure(request),
  })
}

function findKeyFailure({ model, credentials }: ProbeRequest): ProbeFailure | null {
  const chosen = chooseProviderModel('copilot', model, credentials)
  if (credentials.COPILOT_PROVIDER_BASE_URL || 'mistake' in chosen) return null
  const key = providerKeyName(chosen)
  if (credentials[key]) return null
  const message = `copilot has no key for ${chosen.provider}/${chosen.id}: ${key} is unset`
  return { ok: false, kind: 'credentials', message, fix: `export ${key}=…, or set COPILOT_PROVIDER_BASE_URL` }
}

async function open(task: EngineTask): Promise<AcpRun> {
  const home = path.join(task.env.HOME ?? '', '.copilot-run', task.sessionId)
  await mkdir(home, { recursive: true })
  return {
    args: ['--acp', '--no-auto-update'],
    env: {
      ...task.env,
      ...serverVariables(task),
      COPILOT_HOME: home,
      COPILOT_OFFLINE: 'true',
      COPILOT_AUTO_UPDATE: 'false',
    },
    ownCommands,
    clean: () => rm(home, { recursive: true, force: true, maxRetries: 3 }),
  }
}

/** The server, its key and the model, as Copilot reads them. */
function serverVariables({ model, credentials }: EngineTask): Record<string, string> {
  const own = Object.fromEntries(ownServer.flatMap((name) => (credentials[name] ? [[name, credentials[name]]] : [])))
  if (credentials.COPILOT_PROVIDER_BASE_URL) return { ...own, ...(model !== null && { COPILOT_MODEL: model }) }
  const chosen = chooseProviderModel('copilot', model, credentials)
  if ('mistake' in chosen) return {}
  const { url } = providerServer(chosen, credentials)
  return {
    COPILOT_PROVIDER_TYPE: chosen.provider,
    COPILOT_PROVIDER_BASE_URL: url,
    COPILOT_PROVIDER_API_KEY: credentials[providerKeyName(chosen)] ?? '',
    COPILOT_MODEL: chosen.id,
    ...(chosen.provider === 'openai' && /^gpt-5/.test(chosen.id) && { COPILOT_PROVIDER_WIRE_API: 'responses' }),
  }
}
