/** `whetstone mcp`: the MCP server for agents, and the approval of their plans in a terminal. */
import { pathToFileURL } from 'node:url'
import type { Argv } from 'yargs'
import { UserError } from '../../base/errors/error.ts'
import { readOwnPackage } from '../../base/package_root.ts'
import { numeric, onOff } from '../../cli/commands/options/flag.ts'
import { ownEnvironment, type SetExitCode } from '../../cli/commands/options/run_flow.ts'
import { exitCodes } from '../../cli/exit_codes.ts'
import { listenForInterrupts } from '../../cli/terminal/interrupt.ts'
import { askYesNo, canAnswer } from '../../cli/terminal/question.ts'

const config = `{ "mcpServers": { "whetstone": { "command": "npx", "args": ["whetstone", "mcp"] } } }`

function mcpOptions(args: Argv) {
  return args
    .positional('action', { choices: ['approve'] as const, describe: 'approve: say yes to the plan of an agent' })
    .positional('plan', { type: 'string', describe: 'plan id' })
    .options({
      'approve-up-to': {
        ...numeric('approve-up-to', (sum) => sum >= 0 && sum <= 1e6, 'an amount in dollars of at least 0', 2),
        describe: 'start plans without a question, up to this sum (USD)',
      },
      'allow-programs': { ...onOff, describe: 'allow engines that start any program (command:, acp:)' },
    })
    .usage(
      `$0 mcp [options]\n$0 mcp approve <plan>\n\nServe Whetstone's tools to an agent on standard input and output.\n\nNothing that costs money starts without a budget and the yes of a person. Claude Code (.mcp.json):\n  ${config}\nCodex: codex mcp add whetstone -- npx whetstone mcp\nopencode (opencode.json):\n  { "mcp": { "whetstone": { "type": "local", "command": ["npx", "whetstone", "mcp"] } } }\nMore: docs/how-to/mcp.md`,
    )
    .example('$0 mcp', 'serve until the agent closes the connection')
    .example('$0 mcp --approve-up-to 2', 'plans of at most 2 dollars in sum start without a question')
    .example('$0 mcp approve bench-…', 'read a plan of an agent and say yes')
}

export function addMcp(args: Argv, done: SetExitCode): Argv {
  return args.command('mcp [action] [plan]', 'serve the tools to an agent', mcpOptions, async (parsed) => {
    const { action, plan, approveUpTo: upTo, allowPrograms } = parsed
    const options = { approveUpTo: upTo ?? null, allowPrograms }
    if (action === 'approve') return done(await approve(plan))
    const { serveMcp } = await import('./serve.ts')
    using interrupts = listenForInterrupts(() => {})
    await serveMcp({ ...serverParts(), options, signal: interrupts.drain })
    done(interrupts.drain.aborted ? exitCodes.interrupted : exitCodes.done)
  })
}

function serverParts() {
  return { version: String(readOwnPackage().version), env: ownEnvironment() }
}

/** Returns the exit code: 1 for a no. */
async function approve(id: string | undefined): Promise<number> {
  if (id === undefined) throw new UserError('mcp approve needs <plan>', 'pass the plan id that the agent shows')
  if (!canAnswer({ json: false, yes: false }))
    throw new UserError('mcp approve: only a person at a terminal can approve', 'run it in a terminal')
  const { createSession } = await import('./serve.ts')
  const { approveAgentPlan, openAgentPlan, readAgentPlan } = await import('./plans.ts')
  const { approvalLines } = await import('./approve.ts')
  const parts = serverParts()
  const { root, allow_programs: allowPrograms } = await readAgentPlan(id, parts.env)
  const session = createSession({ ...parts, options: { approveUpTo: null, allowPrograms } }, [pathToFileURL(root).href])
  const found = await openAgentPlan(id, session)
  process.stderr.write(`${approvalLines(found).join('\n')}\n`)
  if (!(await askYesNo('Start it when the agent asks?', 'not approved'))) return exitCodes.gateFailed
  approveAgentPlan(id, session.env)
  process.stderr.write('Approved. The agent can start it now.\n')
  return exitCodes.done
}
