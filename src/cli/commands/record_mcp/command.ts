/** `whetstone record-mcp`: an MCP server that passes everything on to a suite's own server and records its answers. */
import path from 'node:path'
import type { Argv } from 'yargs'
import { exitCodes } from '../../exit_codes.ts'
import { listenForInterrupts } from '../../terminal/interrupt.ts'
import { ownEnvironment } from '../../user_environment.ts'
import type { SetExitCode } from '../options/run_flow.ts'

function recordOptions(args: Argv) {
  return args
    .positional('skill', { type: 'string', demandOption: true, describe: "the skill's folder" })
    .option('server', {
      type: 'string',
      requiresArg: true,
      defaultDescription: 'the only one',
      describe: 'name of the server in environment.mcp_servers',
    })
    .usage(
      "$0 record-mcp <skill> [options]\n\nRecord the answers of a suite's MCP server in evals/mcp/<server>.json.\n\nGive this command to your own agent as an MCP server, and let it do the tasks of the suite once. It starts the real server and passes each call on. Runs then get the recorded answers; --live-mcp uses the real server again. Claude Code:\n  claude mcp add tickets -- $0 record-mcp skills/triage\nMore: docs/how-to/record-mcp.md",
    )
    .example('$0 record-mcp skills/triage', 'record the only server of the suite')
    .example('$0 record-mcp skills/triage --server tickets', 'record this one')
}

export function addRecordMcp(args: Argv, done: SetExitCode): Argv {
  return args.command(
    'record-mcp <skill>',
    "record the answers of a suite's MCP server",
    recordOptions,
    async (parsed) => {
      const { recordMcp } = await import('../../../flows/record_mcp/record_mcp.ts')
      using interrupts = listenForInterrupts(() => {})
      const skill = path.resolve(parsed.skill)
      await recordMcp({ skill, server: parsed.server ?? null, env: ownEnvironment(), signal: interrupts.drain })
      done(exitCodes.done)
    },
  )
}
