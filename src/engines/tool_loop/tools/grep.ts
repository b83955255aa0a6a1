/** The tools that search: Grep finds lines with the system's grep, so that a slow pattern does not slow down Whetstone itself; Glob finds files. */
import { realpathSync } from 'node:fs'
import path from 'node:path'
import { glob as find } from 'tinyglobby'
import * as z from 'zod'
import { attempt } from '../../../base/errors/attempt.ts'
import { runProcess } from '../../../base/process/spawn.ts'
import { startTimeLimit } from '../../../base/time/time_limit.ts'
import { resolveExisting } from './paths.ts'
import { clipOutput, defineTool, ToolMistake } from './tool.ts'

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

const most = 1000

export const globTool = defineTool({
  name: 'Glob',
  description: 'Lists files whose path fits a pattern such as **/*.csv, sorted. Links are not followed.',
  readOnly: true,
  input: z.object({
    pattern: z.string().min(1),
    path: z.string().optional().describe('the folder to look in; the working folder if not given'),
  }),
  async work({ pattern, path: folder = '.' }, place) {
    const leavesFolder = path.isAbsolute(pattern) || pattern.split(/[/{},]/).includes('..')
    if (leavesFolder) throw new ToolMistake('give the pattern relative to a folder, without ..; path names the folder')
    const root = await resolveExisting(folder, place)
    const files = await find(pattern, {
      cwd: root,
      dot: true,
      followSymbolicLinks: false,
      expandDirectories: false,
      ignore: ['**/.git/**', '**/node_modules/**'],
      signal: place.signal,
    })
    const own = files.filter(createLinkFilter(root))
    const seen = own.filter((file) => place.view?.canRead(path.join(root, file)) ?? true)
    if (seen.length === 0) return '(no file fits)'
    const shown = seen.sort().slice(0, most)
    const lines = folder === '.' ? shown : shown.map((file) => path.posix.join(folder, file))
    if (seen.length > most) lines.push(`… ${seen.length - most} more`)
    return lines.join('\n')
  },
})

/** Drops files behind links: the search follows a link that the pattern names, such as `link/*`. `root`: a real path. */
function createLinkFilter(root: string): (file: string) => boolean {
  const known = new Map<string, boolean>()
  return (file) => {
    const folder = path.join(root, path.dirname(file))
    const is = known.get(folder) ?? isReal(folder)
    known.set(folder, is)
    return is
  }
}

function isReal(folder: string): boolean {
  return attempt(() => realpathSync.native(folder) === folder, false)
}
