/** Lets recordings stand in for a suite's MCP servers, and counts the calls that they could not answer. */
import { readFileSync } from 'node:fs'
import { chmod, copyFile, mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { McpServers } from '../../../../schemas/environment.ts'
import type { Environment } from '../../../../schemas/suite.ts'
import type { TranscriptEvent } from '../../../../schemas/transcript.ts'
import { hashFile } from '../../../base/fs/files.ts'
import { SetupError } from '../workspace/symlink_traps.ts'

const program = readFileSync(new URL('./replay.mjs', import.meta.url), 'utf8')

/** The servers of the run. `folder`: of the environment's scripts, absolute. Throws SetupError if a recording has changed since the plan. */
export async function installRecordings(
  { mcp_servers, recordings = {} }: Pick<Environment, 'mcp_servers' | 'recordings'>,
  folder: string,
): Promise<McpServers> {
  const names = Object.keys(mcp_servers).filter((name) => recordings[name] !== undefined)
  if (names.length === 0) return mcp_servers
  const place = path.join(folder, '.recordings')
  await mkdir(place, { recursive: true })
  await writeFile(path.join(place, 'replay.mjs'), program, { mode: 0o444 })
  const replaced: McpServers = {}
  for (const [name, server] of Object.entries(mcp_servers)) {
    const recording = recordings[name]
    const file = path.join(place, `${name}.json`)
    replaced[name] =
      recording === undefined
        ? server
        : { command: process.execPath, args: ['replay.mjs', `${name}.json`].map(toShownPath) }
    if (recording === undefined) continue
    await copyFile(recording.source, file)
    await chmod(file, 0o444)
    if ((await hashFile(file)) !== recording.sha256)
      throw new SetupError(`environment: ${recording.source} has changed since the plan was written`)
  }
  return replaced
}

/** As the agent sees it. */
function toShownPath(file: string): string {
  return `\${ENVIRONMENT_DIR}/.recordings/${file}`
}

/** The warning of a run whose agent called a tool with other arguments than recorded; null: none. Pure. */
export function describeUnrecordedCalls(events: readonly TranscriptEvent[]): string | null {
  const texts = events.flatMap((event) => (event.type === 'tool_result' && event.is_error ? event.output : []))
  const missed = texts.flatMap(
    (text) => /not in the recording of ([\w-]+: .*?)\. This MCP server/s.exec(text)?.[1] ?? [],
  )
  if (missed.length === 0) return null
  const [first = ''] = missed
  const more = missed.length === 1 ? '' : ` and ${missed.length - 1} more`
  const calls = missed.length === 1 ? 'a call of an MCP tool was' : `${missed.length} calls of MCP tools were`
  return `${calls} not in the recording, so the agent got an error (${first.slice(0, 200)}${more}). Record again, or use --live-mcp`
}
