/** The home of a user who has set up everything that an agent could read, each with a canary. */
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fresh } from '../program.ts'

/** Begins every canary, and is in the path of the home. */
export const canary = 'POLLUTED'

const skill = (place: string) =>
  `---\nname: tidy\ndescription: ${canary}-SKILL of ${place} tidies.\n---\n${canary}-BODY\n`
const says = (what: string) => `${canary}-${what}`

/** Gives its path. */
export function pollutedHome(): string {
  const home = path.join(fresh(), `${canary}-HOME`)
  const server = path.join(home, 'spy.mjs')
  const hook = (event: string) => ({
    [event]: [{ hooks: [{ type: 'command', command: `echo ${says(`HOOK-${event}`)}` }] }],
  })
  const mcpServers = { spy: { command: 'node', args: [server, says('SERVER')] } }
  const plugin = '.claude/plugins/spy'
  const files: Record<string, string | object> = {
    'CLAUDE.md': says('HOME-MEMORY'),
    'AGENTS.md': says('HOME-AGENTS'),
    '.claude/CLAUDE.md': says('MEMORY'),
    '.claude/rules/spy.md': says('RULE'),
    '.claude/skills/tidy/SKILL.md': skill('.claude'),
    '.claude/agents/spy.md': `---\nname: spy\ndescription: ${says('AGENT')}\n---\nSpy.\n`,
    '.claude/commands/spy.md': says('COMMAND'),
    '.claude/output-styles/spy.md': `---\nname: spy\ndescription: d\n---\n${says('STYLE')}\n`,
    '.claude/settings.json': {
      env: { SPY: says('SETTING') },
      hooks: { ...hook('SessionStart'), ...hook('UserPromptSubmit') },
    },
    [`${plugin}/.claude-plugin/plugin.json`]: { name: 'spy', version: '1.0.0', description: says('PLUGIN') },
    [`${plugin}/skills/plugged/SKILL.md`]: `---\nname: plugged\ndescription: ${says('PLUGIN-SKILL')}\n---\nSpy.\n`,
    '.claude.json': { mcpServers },
    '.claude/.claude.json': { mcpServers },
    '.agents/skills/tidy/SKILL.md': skill('.agents'),
    '.agents/AGENTS.md': says('AGENTS'),
    '.codex/config.toml': `[mcp_servers.spy]\ncommand = "node"\nargs = [${JSON.stringify(server)}, "${says('SERVER')}"]\n`,
    '.codex/AGENTS.md': says('CODEX-MEMORY'),
    '.codex/skills/tidy/SKILL.md': skill('.codex'),
    '.config/opencode/AGENTS.md': says('OPENCODE-MEMORY'),
    '.config/opencode/opencode.json': { instructions: [path.join(home, 'AGENTS.md')] },
    '.config/opencode/skills/tidy/SKILL.md': skill('opencode'),
    '.pi/agent/AGENTS.md': says('PI-MEMORY'),
    '.pi/agent/skills/tidy/SKILL.md': skill('pi'),
    '.gemini/GEMINI.md': says('GEMINI-MEMORY'),
    '.gemini/skills/tidy/SKILL.md': skill('.gemini'),
    '.qwen/QWEN.md': says('QWEN-MEMORY'),
    '.qwen/skills/tidy/SKILL.md': skill('.qwen'),
    '.copilot/copilot-instructions.md': says('COPILOT-MEMORY'),
    '.copilot/skills/tidy/SKILL.md': skill('.copilot'),
    '.copilot/mcp-config.json': { mcpServers },
    '.copilot/settings.json': { hooks: { sessionStart: [{ type: 'command', bash: `echo ${says('HOOK')}` }] } },
    '.gitconfig': `[user]\n\tname = ${says('GIT')}\n`,
    '.netrc': says('NETRC'),
    '.bashrc': `echo ${says('SHELL')}\nexport SPY=${says('SHELL')}\n`,
    '.profile': `export SPY=${says('SHELL')}\n`,
  }
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(home, name)
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  }
  cpSync(path.join(import.meta.dirname, '../../fixtures/servers/tickets.mjs'), server)
  return home
}

/** What such a user also has in the environment. */
export function pollutedEnv(home: string): Record<string, string> {
  return {
    HOME: home,
    CLAUDE_CONFIG_DIR: path.join(home, '.claude'),
    CODEX_HOME: path.join(home, '.codex'),
    COPILOT_HOME: path.join(home, '.copilot'),
    XDG_CONFIG_HOME: path.join(home, '.config'),
    XDG_DATA_HOME: path.join(home, '.local/share'),
    BASH_ENV: path.join(home, '.bashrc'),
    ENV: path.join(home, '.profile'),
    GIT_CONFIG_GLOBAL: path.join(home, '.gitconfig'),
    ANTHROPIC_CUSTOM_HEADERS: `x-spy: ${says('HEADER')}`,
    OPENAI_ORG_ID: says('ORG'),
  }
}

/** A command that shows all of it where the home is the user's. */
export const look = [
  'cat ~/CLAUDE.md ~/.claude/CLAUDE.md ~/.claude.json ~/.codex/config.toml ~/.agents/AGENTS.md ~/.netrc 2>&1',
  'cat "$XDG_CONFIG_HOME/opencode/AGENTS.md" 2>&1',
  'git config --get user.name',
  'env',
  'true',
].join('; ')
