/** Passes a suite's hooks and rules to Codex as settings of its command line. Pure. Its hooks follow Claude Code's contract. */
import type { HookEntry } from '../../../schemas/environment.ts'
import type { EngineTask, SupportedEnvironment } from '../engine.ts'

export const codexSupport: SupportedEnvironment = {
  hooks: ['PreToolUse', 'PostToolUse', 'Stop'],
  rules: true,
  agents: false,
  mcp_servers: false,
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
      const entries = group.hooks.map((entry) => hookTable(entry, cwd)).join(',')
      return `{matcher=${JSON.stringify(group.matcher ?? '')},hooks=[${entries}]}`
    })
    return [`hooks.${event}`, `[${tables.join(',')}]`]
  })
  // the hooks come from the suite that is being run
  return { flags: events.length > 0 ? ['--dangerously-bypass-hook-trust'] : [], settings: [...told, ...events] }
}

/** Codex gives hooks its own environment, key included, and no project folder: the command corrects both. */
function hookTable({ command = '', timeout }: HookEntry, cwd: string): string {
  const before = `unset CODEX_API_KEY; export CLAUDE_PROJECT_DIR=${quoteForShell(cwd)}`
  const seconds = timeout === undefined ? '' : `,timeout=${Math.ceil(timeout)}`
  return `{type="command",command=${JSON.stringify(`${before}\n${command}`)}${seconds}}`
}

function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
