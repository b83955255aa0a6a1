/** Finds the MCP servers that opencode can't start, as it reports them itself. */
import { stripVTControlCharacters } from 'node:util'
import { runProcess } from '../../base/process/spawn.ts'
import type { CliLaunch } from '../cli/headless_cli.ts'

/**
 * Runs `opencode mcp list` as the run itself is started: a quick run may be over before its log names a server that did not start.
 * Rejects only when aborted, or when it can't start.
 */
export async function listBrokenServers(launch: CliLaunch, names: readonly string[]): Promise<string[]> {
  const end = await runProcess({ ...launch, args: ['mcp', 'list', '--pure'] })
  const failed = [...stripVTControlCharacters(end.stdout + end.stderrTail).matchAll(/✗\s+(\S+)\s+failed/g)]
  return names.filter((name) => failed.some(([, one]) => one === name))
}
