/** The Claude Code engine: the real CLI, headless, in a home of its own. */
import { agentStdout, type ProcessEnd, runProcess, SpawnError } from '../../base/process/spawn.ts'
import { withEndpoint, withReadable } from '../../base/sandbox/policy.ts'
import { findCommandParts } from '../../base/sandbox/programs.ts'
import { completeAnswer, failRun } from '../answers/run_outcome.ts'
import { probeCloudServer } from '../anthropic/probe_cloud.ts'
import { type AgentCli, findCli, listCliPrograms, type ProbeFailure, probeCli } from '../cli/agent_cli.ts'
import { type CliTurn, converse } from '../cli/conversation.ts'
import { failEarly, failMissing } from '../cli/headless_cli.ts'
import { type KeyedServer, withPlaceholders } from '../cli/key_placeholders.ts'
import { toStartError } from '../cli/run_failure.ts'
import { cloudOfModel, splitCloud } from '../clouds/table.ts'
import type { Engine, EngineContext, EngineOutcome, EngineTask, Probe, ProbeRequest } from '../engine.ts'
import { anthropicAccount } from '../limits/account.ts'
import { reportRetry } from '../limits/rate_limiter.ts'
import { withCost } from '../models/cost.ts'
import { anthropicEfforts } from '../models/effort_levels.ts'
import { anthropicModel } from '../models/providers.ts'
import { messagesRequests } from '../models/wire_requests.ts'
import { claudeArguments, claudeEnvironment, claudeKeys, passKeyViaPipe } from './argv.ts'
import { claudeFailure, claudeReport, withoutEarlierTurns } from './report.ts'
import { ClaudeStream } from './stream.ts'

const claudeCli: AgentCli = {
  name: 'claude',
  variable: 'WHETSTONE_CLAUDE',
  package: '@anthropic-ai/claude-code',
  leastVersion: '2.1.0',
  update: 'claude update',
}

/** Checks `claude --version` and the key, then asks the server. Rejects only when aborted. */
function probeClaude(request: ProbeRequest): Promise<Probe> {
  const env = claudeEnvironment({ env: request.env, credentials: {}, model: null })
  const { cloud, model } = splitCloud(anthropicModel(request.model))
  if (cloud !== null) {
    const { credentials, signal } = request
    const failure = () => probeCloudServer({ cloud, model: model ?? '', credentials, signal })
    return probeCli(claudeCli, request, { env, failure })
  }
  const failure = async () => keyFailure(request) ?? (await serverFailure(request))
  return probeCli(claudeCli, request, { env, failure })
}

function keyFailure({ credentials }: ProbeRequest): ProbeFailure | null {
  if (credentials.ANTHROPIC_API_KEY || credentials.ANTHROPIC_AUTH_TOKEN || credentials.CLAUDE_CODE_OAUTH_TOKEN)
    return null
  const message = 'claude has no key: ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN and CLAUDE_CODE_OAUTH_TOKEN are all unset'
  const fix =
    'export ANTHROPIC_API_KEY=…, or CLAUDE_CODE_OAUTH_TOKEN=… from `claude setup-token` (each run has its own home, so a login is not seen)'
  return { ok: false, kind: 'credentials', message, fix }
}

/** Asks the server only if the key is one that the API itself accepts. */
async function serverFailure({ credentials, model, signal }: ProbeRequest): Promise<ProbeFailure | null> {
  if (!credentials.ANTHROPIC_API_KEY && !credentials.ANTHROPIC_AUTH_TOKEN) return null
  const { probeAnthropicServer } = await import('../anthropic/address.ts')
  const isFullId = model?.startsWith('claude-') ?? false
  return probeAnthropicServer({
    credentials,
    model: anthropicModel(model),
    checkModel: isFullId,
    keyHeader: 'x-api-key',
    signal,
  })
}

const skillsFolder = '.claude/skills'
/** Its server if no other address is given. */
const anthropicUrl = 'https://api.anthropic.com'

export const claudeCode: Engine = {
  name: 'claude-code',
  cli: claudeCli,
  provider: 'anthropic',
  projectFiles: [
    ...['CLAUDE.md', 'CLAUDE.local.md', '.claude/CLAUDE.md', '.claude/skills'],
    ...['.claude/rules', '.claude/agents', '.claude/commands'],
  ],
  settings: ['.claude', '.mcp.json'],
  credentials: [...claudeKeys, 'WHETSTONE_CLAUDE'],
  address: 'ANTHROPIC_BASE_URL',
  aliases: ['opusplan'],
  efforts: () => anthropicEfforts,
  skillsFolder,
  userOnlySkills: { start: (name) => `/${name}` },
  seesImages: 'in_folder',
  questionTools: ['AskUserQuestion'],
  continuesSession: true,
  account: { slots: 'runs', of: anthropicAccount },
  supports: {
    hooks: 'all',
    rules: true,
    agents: true,
    agent_fields: 'all',
    mcp_servers: true,
    system_prompt: true,
    tools: true,
    commands: true,
  },
  reaches,
  findPrograms: (task) => listCliPrograms(claudeCli, task),
  probe: probeClaude,
  // its default model is known only after a run
  reports: async (model) => ({ cost: true, tokens: true, ...(model !== null && { priced: pricedAs(model) }) }),
  run: withPlaceholders(runClaude, keyedServer),
}

function reaches({ credentials, model }: Pick<EngineTask, 'credentials' | 'model'>): string[] {
  const cloud = cloudOfModel(model)
  if (cloud !== null) return [cloud.server(credentials), ...(cloud.claude?.alsoReaches(credentials) ?? [])]
  return [credentials.ANTHROPIC_BASE_URL || anthropicUrl]
}

/** Claude Code disables some of its features if the base URL is not Anthropic's; the proxy's is not, but leads to Anthropic. */
function keyedServer({ credentials, model }: EngineTask): KeyedServer {
  const cloud = cloudOfModel(model)
  if (cloud !== null) {
    const { replaceable: keys = [], requests = [] } = cloud.claude ?? {}
    const provider = splitCloud(model).cloud ?? ''
    return { address: cloud.address, url: cloud.server(credentials), keys, requests, provider }
  }
  const url = credentials.ANTHROPIC_BASE_URL || anthropicUrl
  const isAnthropic = URL.canParse(url) && new URL(url).host === new URL(anthropicUrl).host
  const env = isAnthropic ? { _CLAUDE_CODE_ASSUME_FIRST_PARTY_BASE_URL: '1' } : {}
  const keys = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN']
  return { address: 'ANTHROPIC_BASE_URL', url, keys, requests: messagesRequests, provider: 'anthropic', env }
}

/** Its short names are the same as for the API. */
const pricedAs = (name: string) => {
  const { cloud, model } = splitCloud(anthropicModel(name))
  return { model: model ?? '', provider: cloud ?? 'anthropic' }
}

/** For the report of a process that was ended before the run was complete. */
const unendedProcess = { exitCode: null, signal: null }

/** Runs Claude Code with the task's credentials as they are. */
export async function runClaude(task: EngineTask, context: EngineContext): Promise<EngineOutcome> {
  context.signal.throwIfAborted()
  const program = await findCli(claudeCli, task)
  if (program === null) return failMissing(claudeCli, task, context)
  return await converse(task, context, (turn, turnContext) => runTurn(program, turn, turnContext))
}

async function runTurn(program: string, task: CliTurn, context: EngineContext): Promise<EngineOutcome> {
  const stream = new ClaudeStream({
    skills: task.skills,
    skillsFolder,
    emit: context.emit,
    onRetry: (retry) => reportRetry(context.gate, retry),
  })
  const { cloud } = splitCloud(task.model)
  const provider = cloud ?? 'anthropic'
  const reportAt = (end: Pick<ProcessEnd, 'exitCode' | 'signal'>) =>
    withCost(withoutEarlierTurns(claudeReport(stream, end, provider), stream, task))
  context.soFar?.(() => reportAt(unendedProcess))
  using key = passKeyViaPipe(task)
  const files = cloudOfModel(task.model)?.claude?.files(task.credentials) ?? []
  const readable = [...(await findCommandParts([program])), ...files]
  const [command, ...before] = key === null ? [program] : [...key.prefix, program]
  try {
    const end = await runProcess({
      command,
      args: [...before, ...claudeArguments(task)],
      cwd: task.cwd,
      env: claudeEnvironment(task, key !== null),
      stdin: task.prompt,
      signal: context.signal,
      onLine: (line) => (stream.take(line) === 'last' ? 'last' : undefined),
      stderrFile: context.stderrFile,
      ...agentStdout,
      sandbox: withEndpoint(withReadable(task.sandbox, readable), ...reaches(task)),
    })
    const report = await reportAt(end)
    const failure = claudeFailure(stream, end)
    if (failure !== null) return failRun(context, failure, { report, step: stream.step })
    return completeAnswer(context, report, stream.step)
  } catch (error) {
    if (!(error instanceof SpawnError)) throw error
    return failEarly(context, toStartError(error, 'an argument is too long'))
  }
}
