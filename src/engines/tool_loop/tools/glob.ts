/** The Glob tool: files by the pattern of their path. */
import path from 'node:path'
import picomatch from 'picomatch'
import { z } from 'zod'
import { walk } from '../../../base/files.ts'
import { existing } from './paths.ts'
import { defineTool, ToolMistake } from './tool.ts'

const most = 1000
const skip = (relative: string): boolean => /(?:^|\/)(?:\.git|node_modules)$/.test(relative)

export const glob = defineTool({
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
    const root = await existing(folder, place)
    const { files, leftOut } = await walk(root, { skip, links: 'never', unreadable: 'leave_out' })
    place.signal.throwIfAborted()
    const fits = picomatch(pattern, { dot: true })
    // a link is listed, and never gone through
    const found = [...files, ...leftOut].map((one) => one.path).filter((name) => fits(name))
    const seen = found.filter((file) => place.view?.canRead(path.join(root, file)) ?? true)
    if (seen.length === 0) return '(no file fits)'
    const shown = seen.sort().slice(0, most)
    const lines = folder === '.' ? shown : shown.map((file) => path.posix.join(folder, file))
    if (seen.length > most) lines.push(`… ${seen.length - most} more`)
    return lines.join('\n')
  },
})
