/** The Glob tool: finds files by a pattern of their path. */
import { realpathSync } from 'node:fs'
import path from 'node:path'
import { glob as find } from 'tinyglobby'
import * as z from 'zod'
import { resolveExisting } from './paths.ts'
import { defineTool, ToolMistake } from './tool.ts'

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
  try {
    return realpathSync.native(folder) === folder
  } catch {
    return false
  }
}
