/** A skill whose suite brings hooks, a rule, a sub-agent and an MCP server, each with a canary. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { PracticeServer } from '../../../src/features/practice/server.ts'
import { bench, newestIn, withModel } from '../bench/benched.ts'
import { makeSkill } from '../program.ts'

const server = readFileSync(path.join(import.meta.dirname, '../../fixtures/servers/tickets.mjs'), 'utf8')

/** Keeps Bash from `rm`, tells what it was given in a file beside the working folder. */
const guard = `
import { appendFileSync, readFileSync } from 'node:fs'
const given = JSON.parse(readFileSync(0, 'utf8'))
appendFileSync(process.env.HOME + '/hooks.jsonl', JSON.stringify({ ...given, project: process.env.CLAUDE_PROJECT_DIR }) + '\\n')
if (/\\brm\\b/.test(given.tool_input?.command ?? '')) {
  console.error('HOOK-CANARY deleting is not allowed here')
  process.exit(2)
}
`

/** Makes the agent go on once. */
const stop = `
import { readFileSync } from 'node:fs'
if (JSON.parse(readFileSync(0, 'utf8')).stop_hook_active) process.exit(0)
console.error('STOP-CANARY say goodbye first')
process.exit(2)
`

export const hooks = {
  PreToolUse: [
    { matcher: 'Bash', hooks: [{ type: 'command', command: `node "\${ENVIRONMENT_DIR}/evals/guard/guard.mjs"` }] },
  ],
  Stop: [{ hooks: [{ type: 'command', command: `node "\${ENVIRONMENT_DIR}/evals/guard/stop.mjs"` }] }],
}

export const servers = {
  tickets: { command: 'node', args: [`\${ENVIRONMENT_DIR}/evals/guard/tickets.mjs`, 'SERVER-CANARY'] },
}

/** The skill's folder; `environment` beside the files is what the one case asks for. */
function skillWith(environment: object): string {
  const checks = [{ type: 'agent_blocked', tool: 'Bash', reason: 'not allowed' }]
  return makeSkill([{ id: 1, name: 'guarded', prompt: 'tidy up please', checks, environment }], {
    'evals/guard/guard.mjs': guard,
    'evals/guard/stop.mjs': stop,
    'evals/guard/tickets.mjs': server,
    'evals/rules/house.md': 'RULE-CANARY Always be tidy.\n',
    'evals/agents/reviewer.md': '---\nname: reviewer\ndescription: AGENT-CANARY reviews things\n---\nReview.\n',
  })
}

interface Guarded {
  engine: string
  environment: object
  scenario: string
  flags?: readonly string[]
}

/** One run of it in each arm; `env` gives what the user has set. `log`: all that the model was told. */
export async function benchedGuarded(
  { engine, environment, scenario, flags = [] }: Guarded,
  env: (server: Pick<PracticeServer, 'url'>) => Record<string, string>,
) {
  return await withModel(scenario, async (_, server) => {
    const asked = { skill: skillWith(environment), engine, env: env(server) }
    const end = await bench(asked, '--runs', '1', ...flags)
    const read = (arm: string, name: string) => newestIn(end.workspace).read(`eval-1-guarded/${arm}/run-1/${name}`)
    return { end, read, log: JSON.stringify(server.requests) }
  })
}
