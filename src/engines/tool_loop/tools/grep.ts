/** The Grep tool: finds lines that fit a pattern with the system's grep, so that a slow pattern does not slow down Whetstone itself. */
import path from 'node:path'
import * as z from 'zod'
import { runProcess } from '../../../base/process/spawn.ts'
import { startTimeLimit } from '../../../base/time/time_limit.ts'
import { clipOutput } from './clip_output.ts'
import { resolveExisting } from './paths.ts'
import { defineTool, ToolMistake } from './tool.ts'

const limitMs = 60_000

export const grepTool = defineTool({
  name: 'Grep',
  description:
    'Finds lines in files by an extended regular expression (grep -E), as path:number:line. Links are not followed.',
  readOnly: true,
  input: z.object({
    pattern: z.string().min(1),
    path: z.string().optional().describe('a file or folder; the working folder if not given'),
    glob: z.string().optional().describe('only files whose name fits, such as *.md'),
    ignore_case: z.boolean().optional(),
    files_only: z.boolean().optional().describe('give the files, not the lines'),
  }),
  async work({ pattern, path: given = '.', glob, ignore_case = false, files_only = false }, place) {
    const target = await resolveExisting(given, place)
    const flags = ['-r', '-E', '-I', '-s', '--exclude-dir=.git', '--exclude-dir=node_modules']
    if (glob !== undefined) flags.push(`--include=${glob}`)
    if (ignore_case) flags.push('-i')
    flags.push(...(files_only ? ['-l'] : ['-n', '-H']))
    using limit = startTimeLimit(limitMs, [place.signal])
    const end = await runProcess({
      command: 'grep',
      args: [...flags, '-e', pattern, '--', path.relative(place.cwd, target) || '.'],
      cwd: place.cwd,
      env: place.env,
      sandbox: place.sandbox,
      signal: limit.signal,
    })
    if (end.stdout === '' && end.exitCode === 1) return '(no line fits)'
    if (end.stdout === '' && end.exitCode !== 0) throw new ToolMistake(`grep: ${end.stderrTail.trim() || 'failed'}`)
    return clipOutput(end.stdout.trimEnd())
  },
})
