/** Gemini CLI over ACP: `gemini --acp`, with settings of its own, on the Gemini API, without a login. */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { runMark } from '../../../base/process/process_marks.ts'
import { type AgentCli, type ProbeFailure, probeCli } from '../../cli/agent_cli.ts'
import type { EngineTask, PricedModel, ProbeRequest } from '../../engine.ts'
import { HeldCommands } from '../../gemini/held_commands.ts'
import { isPriced } from '../../models/cost.ts'
import type { ToolCallRecord } from '../protocol/records.ts'
import type { ShownCall } from '../turn/tool_calls.ts'
import type { AcpPreset, AcpRun } from './preset.ts'

const geminiCli: AgentCli = {
  name: 'gemini',
  variable: 'WHETSTONE_GEMINI',
  package: '@google/gemini-cli',
  leastVersion: '0.50.0',
  update: 'npm install -g @google/gemini-cli',
}

const usualServer = 'https://generativelanguage.googleapis.com'

export const geminiPreset: AcpPreset = {
  cli: geminiCli,
  credentials: ['GEMINI_API_KEY', 'GOOGLE_GEMINI_BASE_URL'],
  model: chooseModel,
  server: ({ credentials }) => ({
    address: 'GOOGLE_GEMINI_BASE_URL',
    url: (credentials.GOOGLE_GEMINI_BASE_URL || usualServer).replace(/\/+$/, ''),
    keys: ['GEMINI_API_KEY'],
  }),
  probe: (request) =>
    probeCli(geminiCli, request, {
      env: request.env,
      model: chooseModel(request.model).model,
      failure: async () => findKeyFailure(request),
    }),
  async reports(name) {
    const priced = chooseModel(name)
    return { cost: await isPriced(priced), tokens: true, priced }
  },
  describe,
  open,
}

function chooseModel(model: string | null): PricedModel {
  return { model: model ?? 'gemini-2.5-pro', provider: 'google' }
}

function findKeyFailure({ credentials }: ProbeRequest): ProbeFailure | null {
  if (credentials.GEMINI_API_KEY) return null
  const message = 'gemini has no key: GEMINI_API_KEY is unset'
  return { ok: false, kind: 'credentials', message, fix: 'export GEMINI_API_KEY=… (a key from aistudio.google.com)' }
}

const settings = {
  security: { auth: { selectedType: 'gemini-api-key' } },
  privacy: { usageStatisticsEnabled: false },
  general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
}

async function open(task: EngineTask): Promise<AcpRun> {
  const home = path.join(task.env.HOME ?? '', '.gemini-run', task.sessionId)
  await mkdir(path.join(home, '.gemini'), { recursive: true })
  await writeFile(path.join(home, '.gemini/settings.json'), JSON.stringify(settings))
  const held = new HeldCommands(task.env.TMPDIR ?? '/tmp', task.env[runMark] ?? '')
  const { GEMINI_API_KEY = '', GOOGLE_GEMINI_BASE_URL } = task.credentials
  return {
    args: ['--acp', '-m', chooseModel(task.model).model],
    env: {
      ...task.env,
      GEMINI_API_KEY,
      ...(GOOGLE_GEMINI_BASE_URL && { GOOGLE_GEMINI_BASE_URL }),
      GEMINI_CLI_HOME: home,
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
    },
    poll(openCalls) {
      if (openCalls.some((id) => id.startsWith('run_shell_command__'))) void held.poll()
      return null
    },
    clean: () => rm(home, { recursive: true, force: true, maxRetries: 3 }),
  }
}

/** It reports no input: the id of a call begins with the tool's name, and its title shows the most important part of the input. */
function describe({ toolCallId, title, locations }: ToolCallRecord): ShownCall | null {
  const [, name] = /^([a-z]\w*?)__/.exec(toolCallId) ?? []
  if (name === undefined) return null
  if (name === 'activate_skill') return { name, input: { name: /^"([^"]+)"/.exec(title ?? '')?.[1] ?? title ?? '' } }
  if (name === 'run_shell_command') return { name, input: { command: title ?? '' } }
  const places = (locations ?? []).map((one) => one.path)
  return { name, input: { title: title ?? '', ...(places.length > 0 && { locations: places }) } }
}
