/** A plugin of two skills, a hook, an MCP server, a sub-agent and a command, each with a canary. */
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { LoggedRequest } from '../../../src/features/practice/log.ts'
import type { PracticeServer } from '../../../src/features/practice/server.ts'
import { runMain } from '../../cli/run_main.ts'
import { practice } from '../../engines/stage.ts'
import { fresh } from '../program.ts'

const server = readFileSync(path.join(import.meta.dirname, '../../fixtures/servers/tickets.mjs'), 'utf8')

/** Keeps Bash from `rm`, and says where the plugin is. */
const guard = `#!/bin/sh
if grep -q '"rm -rf'; then
  echo "HOOK-CANARY not allowed, root=$CLAUDE_PLUGIN_ROOT" >&2
  exit 2
fi
`

const pluginFiles: Record<string, string> = {
  '.claude-plugin/plugin.json': '{"name":"plug","version":"1.0.0"}',
  'hooks/hooks.json': JSON.stringify({
    hooks: {
      PreToolUse: [
        { matcher: 'Bash', hooks: [{ type: 'command', command: `"\${CLAUDE_PLUGIN_ROOT}/hooks/guard.sh"` }] },
      ],
    },
  }),
  'hooks/guard.sh': guard,
  '.mcp.json': JSON.stringify({
    mcpServers: { tickets: { command: 'node', args: [`\${CLAUDE_PLUGIN_ROOT}/server/tickets.mjs`, 'SERVER-CANARY'] } },
  }),
  'server/tickets.mjs': server,
  'agents/reviewer.md': '---\nname: reviewer\ndescription: AGENT-CANARY reviews things\n---\nReview.\n',
  'commands/tell.md': `---\ndescription: COMMAND-CANARY tells all\n---\nTell \${CLAUDE_PLUGIN_ROOT}.\n`,
  'skills/alpha/SKILL.md': `---\nname: alpha\ndescription: ALPHA-CANARY tidies.\n---\n\nTidy with \${CLAUDE_PLUGIN_ROOT}/server.\n`,
  'skills/alpha/evals/evals.json': JSON.stringify({
    skill_name: 'alpha',
    evals: [
      {
        id: 1,
        name: 'guarded',
        prompt: 'tidy up please',
        checks: [{ type: 'agent_blocked', tool: 'Bash', reason: 'not allowed' }],
      },
    ],
  }),
  'skills/beta/SKILL.md': '---\nname: beta\ndescription: BETA-CANARY counts.\n---\n\nSay 42.\n',
}

/** The plugin's folder; `change`: files to replace, undefined: to leave out. */
export function makePlugin(change: Record<string, string | undefined> = {}): string {
  const root = path.join(fresh(), 'plug')
  for (const [name, text] of Object.entries({ ...pluginFiles, ...change })) {
    if (text === undefined) continue
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true })
    writeFileSync(path.join(root, name), text)
    if (name.endsWith('.sh')) chmodSync(path.join(root, name), 0o755)
  }
  return root
}

interface Benched {
  end: Awaited<ReturnType<typeof runMain>>
  /** A file of run 1 of case 1 in one of the comparisons' workspaces; '' : the workspace itself. */
  read: (variant: string, arm: string, name: string) => string
  requests: readonly LoggedRequest[]
  workspace: string
}

/** `bench` of these places on the practice server. */
export async function benchOn(
  args: readonly string[],
  scenario: string,
  env: (server: Pick<PracticeServer, 'url'>) => Record<string, string>,
): Promise<Benched> {
  await using served = await practice(scenario)
  const workspace = path.join(fresh(), 'ws')
  const end = await runMain(['bench', ...args, '--runs', '1', '--workspace', workspace], { env: env(served) })
  const read = (variant: string, arm: string, name: string) => {
    const benchmarks = path.join(workspace, variant, 'benchmarks')
    const made = path.join(benchmarks, readdirSync(benchmarks)[0] ?? '')
    const folder = readdirSync(made).find((one) => one.startsWith('eval-')) ?? ''
    const file = path.join(made, folder, arm, 'run-1', name)
    return existsSync(file) ? readFileSync(file, 'utf8') : ''
  }
  return { end, read, requests: served.requests, workspace }
}
