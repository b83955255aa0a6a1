/** The Bash tool: a shell command in the working folder, with the run's environment and a time limit. */
import * as z from 'zod'
import { pathExists } from '../../../base/fs/files.ts'
import { type ProcessEnd, runProcess } from '../../../base/process/spawn.ts'
import { startTimeLimit } from '../../../base/time/time_limit.ts'
import { clipOutput, defineTool, type ToolAnswer, type ToolPlace } from './tool.ts'

const defaultMs = 120_000
const longestMs = 600_000

export const bashTool = defineTool({
  name: 'Bash',
  description:
    'Runs a shell command in the working folder and gives its output (stdout and stderr together) and its exit code. ' +
    'Each call is a new shell, without input. Processes left in the background end with the call.',
  readOnly: false,
  input: z.object({
    command: z.string().min(1).describe('the command'),
    timeout: z.number().positive().optional().describe(`milliseconds; ${defaultMs} if not given, at most ${longestMs}`),
  }),
  work: ({ command, timeout }, place) => shell(command, Math.min(timeout ?? defaultMs, longestMs), place),
})

async function shell(command: string, limitMs: number, place: ToolPlace): Promise<ToolAnswer> {
  using limit = startTimeLimit(limitMs, [place.signal])
  const lines: string[] = []
  try {
    const end = await runProcess({
      command: (await pathExists('/bin/bash')) ? '/bin/bash' : '/bin/sh',
      args: ['-c', 'exec 2>&1; eval "$1"', 'bash', command],
      cwd: place.cwd,
      env: place.env,
      sandbox: place.sandbox,
      signal: limit.signal,
      onLine: (line) => {
        if (lines.length < 10_000) lines.push(line)
        return undefined
      },
    })
    return toBashAnswer(end)
  } catch (error) {
    place.signal.throwIfAborted()
    if (!limit.signal.aborted) throw error
    return { text: `${clipOutput(lines.join('\n'))}\n(ended: no end within ${limitMs} ms)`.trim(), isError: true }
  }
}

function toBashAnswer(end: ProcessEnd): ToolAnswer {
  const output = clipOutput(end.stdout.trimEnd())
  if (end.exitCode === 0) return { text: output === '' ? '(no output, exit code 0)' : output, isError: false }
  const how = end.exitCode === null ? `ended by ${end.signal}` : `exit code ${end.exitCode}`
  return { text: `${output}\n(${how})`.trim(), isError: true }
}
