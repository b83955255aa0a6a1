/** The tools of the SDK engines, Bash among them, and which of them a task may use. */
import * as z from 'zod'
import { pathExists } from '../../../base/fs/files.ts'
import { type ProcessEnd, runProcess } from '../../../base/process/spawn.ts'
import { startTimeLimit } from '../../../base/time/time_limit.ts'
import type { EngineTask } from '../../engine.ts'
import type { ToolOffer } from '../session.ts'
import { submitTool } from '../tool_calls.ts'
import { editTool, readFileTool, writeTool } from './files.ts'
import { globTool, grepTool } from './grep.ts'
import { clipOutput, defineTool, type LocalTool, type ToolAnswer, type ToolPlace } from './tool.ts'

const defaultMs = 120_000
const longestMs = 600_000

const bashTool = defineTool({
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

const tools: readonly LocalTool[] = [bashTool, readFileTool, writeTool, editTool, globTool, grepTool]

/** The tools that a task may use; if it may use all, only those named in `only`, if that is given. */
export function selectTools(allowed: EngineTask['tools'], only?: readonly string[]): readonly LocalTool[] {
  switch (allowed) {
    case 'all':
      return only === undefined ? tools : tools.filter(({ name }) => only.includes(name))
    case 'read_only':
      return tools.filter((tool) => tool.readOnly)
    case 'none':
      return []
  }
}

/** The descriptions of the tools for the model, and of the tool for its answer if a structured one is requested. */
export function describeTools(tools: readonly LocalTool[], answerSchema: EngineTask['answerSchema']): ToolOffer[] {
  const offers = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))
  if (answerSchema === null) return offers
  const description = 'Gives your answer in its final form. Call it once, when you are done; it ends your work.'
  return [...offers, { name: submitTool, description, inputSchema: { ...answerSchema, type: 'object' } }]
}
