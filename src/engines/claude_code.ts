/** The Claude Code engine: the real CLI, headless, in a home of its own. */
import { withEndpoint, withReadable } from '../base/sandbox/policy.ts'
import { partsOfCommand } from '../base/sandbox/programs.ts'
import { runProcess, SpawnError } from '../base/spawn.ts'
import { anthropicAccount } from './account.ts'
import { findCli, missingCli } from './agent_cli.ts'
import { claudeArguments, claudeEnvironment, claudeKeys } from './claude_code/argv.ts'
import { lendKey } from './claude_code/key.ts'
import { claudeCli, probeClaude } from './claude_code/probe.ts'
import { failureOf, reportOf } from './claude_code/report.ts'
import { ClaudeStream } from './claude_code/stream.ts'
import { withCost } from './cost.ts'
import { type Engine, type EngineContext, type EngineOutcome, type EngineTask, emptyReport } from './engine.ts'
import { tellRetry } from './gate.ts'
import { complete, fail } from './outcome.ts'
import { anthropicModel } from './providers.ts'
import { startErrorOf } from './start_error.ts'

const skillsFolder = '.claude/skills'
/** Where it goes when no other address is given. */
const anthropicUrl = 'https://api.anthropic.com'

export const claudeCode: Engine = {
  name: 'claude-code',
  credentials: [...claudeKeys, 'WHETSTONE_CLAUDE'],
  address: 'ANTHROPIC_BASE_URL',
  skillsFolder,
  account: { slots: 'runs', of: anthropicAccount },
  honours: {
    hooks: 'all',
    rules: true,
    agents: true,
    mcp_servers: true,
    system_prompt: true,
    tools: true,
    commands: true,
  },
  reaches,
  probe: probeClaude,
  // which model it takes by itself is known only when it has run
  reports: async (model) => ({ cost: true, tokens: true, ...(model !== null && { priced: pricedAs(model) }) }),
  run,
}

function reaches({ credentials }: Pick<EngineTask, 'credentials'>): string[] {
  return [credentials.ANTHROPIC_BASE_URL || anthropicUrl]
}

/** Its short names are those of the API. */
const pricedAs = (model: string) => ({ model: anthropicModel(model), provider: 'anthropic' })

/** Of a process that was ended before its run was. */
const unended = { exitCode: null, signal: null }

async function run(task: EngineTask, context: EngineContext): Promise<EngineOutcome> {
  context.signal.throwIfAborted()
  const program = await findCli(claudeCli, task)
  if (program === null) return missing(missingCli(claudeCli, task.credentials).message, context)
  const stream = new ClaudeStream({
    skills: task.skills,
    skillsFolder,
    emit: context.emit,
    onRetry: (retry) => tellRetry(context.gate, retry),
  })
  context.soFar?.(() => withCost(reportOf(stream, unended)))
  using key = lendKey(task)
  const [command, ...before] = key === null ? [program] : [...key.prefix, program]
  try {
    const end = await runProcess({
      command,
      args: [...before, ...claudeArguments(task)],
      cwd: task.cwd,
      env: claudeEnvironment(task, key !== null),
      stdin: task.prompt,
      signal: context.signal,
      onLine: (line) => (stream.take(line) ? 'last' : undefined),
      stderrFile: context.stderrFile,
      stdoutLimit: 0, // the lines are all that is used
      sandbox: withEndpoint(withReadable(task.sandbox, await partsOfCommand([program])), ...reaches(task)),
    })
    const report = await withCost(reportOf(stream, end))
    const failure = failureOf(stream, end)
    if (failure !== null) return fail(context, failure, { report, step: stream.step })
    return complete(context, report, stream.step)
  } catch (error) {
    if (!(error instanceof SpawnError)) throw error
    return fail(context, startErrorOf(error, 'an argument is too long'), { report: emptyReport, step: 0 })
  }
}

function missing(message: string, context: EngineContext): EngineOutcome {
  const error = { kind: 'missing_binary', message, retryable: false, retryAfterMs: null } as const
  return fail(context, error, { report: emptyReport, step: 0 })
}
