/** Passes a suite's hooks, rules, servers and sub-agents to Codex as settings. Pure. Its hooks follow Claude Code's contract. */
import type { HookEntry } from '../../../schemas/environment.ts'
import type { EngineTask, SubAgent, SupportedEnvironment } from '../engine.ts'
import type { SuiteServer } from '../environment/suite_servers.ts'

export const codexSupport: SupportedEnvironment = {
  hooks: ['PreToolUse', 'PostToolUse', 'Stop'],
  rules: true,
  agents: true,
  mcp_servers: true,
  system_prompt: true,
}

/** `flags` are arguments of their own; `settings` are names with TOML values. */
export function codexEnvironmentOptions({
  environment,
  cwd,
  tools,
}: Pick<EngineTask, 'environment' | 'cwd' | 'tools'>): {
  flags: string[]
  settings: [string, string][]
} {
  if (environment === undefined || tools !== 'all') return { flags: [], settings: [] }
  const { hooks, rules, systemPrompt } = environment
  const text = [...(systemPrompt === undefined ? [] : [systemPrompt]), ...rules.map((rule) => rule.text)].join('\n\n')
  const told: [string, string][] = text === '' ? [] : [['developer_instructions', JSON.stringify(text)]]
  const events = Object.entries(hooks).map(([event, groups]): [string, string] => {
    const tables = groups.map((group) => {
      const entries = group.hooks.map((entry) => hookTable(entry, event, cwd)).join(',')
      return `{matcher=${JSON.stringify(group.matcher ?? '')},hooks=[${entries}]}`
    })
    return [`hooks.${event}`, `[${tables.join(',')}]`]
  })
  // the hooks come from the suite that is being run
  return { flags: events.length > 0 ? ['--dangerously-bypass-hook-trust'] : [], settings: [...told, ...events] }
}

/**
 * Codex gives hooks its own environment, key included, and no project folder: the command corrects both. Codex records only what a hook
 * blocked, so that the command writes each end into a file: event, exit code, and stdout in Base64.
 */
function hookTable({ command = '', timeout }: HookEntry, event: string, cwd: string): string {
  const script = `unset CODEX_API_KEY; export CLAUDE_PROJECT_DIR=${quoteForShell(cwd)}
output=$(
${command}
)
code=$?
printf '%s\n' "$output"
echo "${event} $code $(printf %s "$output" | base64 | tr -d '\n')" >> "$CODEX_HOME/${hooksFile}"
exit $code`
  const seconds = timeout === undefined ? '' : `,timeout=${Math.ceil(timeout)}`
  return `{type="command",command=${JSON.stringify(script)}${seconds}}`
}

/** In the home of Codex. */
export const hooksFile = 'hooks.log'

function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/**
 * The servers as settings. Codex gives a server few variables unless they are named, does not start the session if a required one does
 * not start, and would ask before each call.
 */
export function codexServerSettings(servers: readonly SuiteServer[], env: EngineTask['env']): [string, string][] {
  return servers.map((server) => {
    const how =
      server.type === 'stdio'
        ? { command: server.command, args: server.args, env: server.env, env_vars: Object.keys(env) }
        : { url: server.url, http_headers: server.headers }
    const settings = { ...how, required: true, default_tools_approval_mode: 'approve' }
    return [`mcp_servers.${server.name}`, toToml(settings)]
  })
}

/** The content of a sub-agent's file. */
export function codexAgentFile({ name, description, prompt }: SubAgent): string {
  const fields = Object.entries({ name, description, developer_instructions: prompt })
  return fields.map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`).join('')
}

/** An inline table; a JSON string is also a TOML string. */
function toToml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toToml).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([key, one]) => `${JSON.stringify(key)}=${toToml(one)}`)
    .join(',')}}`
}
