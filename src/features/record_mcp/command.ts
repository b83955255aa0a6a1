/** `whetstone record-mcp`: an MCP server that passes everything on to a suite's own server and records its answers. */
import path from 'node:path'
import type { Argv } from 'yargs'
import { passEnvFlag } from '../../cli/commands/options/common_flags.ts'
import { text } from '../../cli/commands/options/flag.ts'
import { type SetExitCode, withFlow } from '../../cli/commands/options/run_flow.ts'
import { sandboxFlags, sandboxWish } from '../../cli/commands/options/sandbox_flags.ts'
import { exitCodes } from '../../cli/exit_codes.ts'

function recordOptions(args: Argv) {
  return args
    .positional('skill', { type: 'string', demandOption: true, describe: "the skill's folder" })
    .options({
      server: {
        ...text,
        defaultDescription: 'the only one',
        describe: 'name of the server in environment.mcp_servers',
      },
    })
    .options({
      ...sandboxFlags,
      sandbox: { ...sandboxFlags.sandbox, describe: 'run the server in a sandbox: if one works, always, or never' },
      'allow-read': { ...sandboxFlags['allow-read'], describe: 'file or folder that the server may read' },
      ...passEnvFlag('the server'),
    })
    .usage(
      "$0 record-mcp <skill> [options]\n\nRecord the answers of a suite's MCP server in evals/mcp/<server>.json.\n\nGive this command to your own agent as an MCP server, and let it do the tasks of the suite once. It starts the real server and passes each call on. Runs then get the recorded answers; --live-mcp uses the real server again. Claude Code:\n  claude mcp add tickets -- $0 record-mcp skills/triage\nMore: docs/how-to/record-mcp.md",
    )
    .example('$0 record-mcp skills/triage', 'record the only server of the suite')
    .example('$0 record-mcp skills/triage --server tickets', 'record this one')
    .example('$0 record-mcp skills/triage --network open --pass-env TOKEN', 'give it the network and $TOKEN')
}

export function addRecordMcp(args: Argv, done: SetExitCode): Argv {
  return args.command(
    'record-mcp <skill>',
    "record the answers of a suite's MCP server",
    recordOptions,
    async (parsed) => {
      const { recordMcp } = await import('./record_mcp.ts')
      const { server = null, passEnv } = parsed
      const request = { skill: path.resolve(parsed.skill), server, passEnv, sandbox: sandboxWish(parsed) }
      await withFlow({ json: false, concurrency: 1 }, (context) => recordMcp(request, context))
      done(exitCodes.done)
    },
  )
}
