/** The tools that change files: Edit replaces text in one, Write writes one. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import * as z from 'zod'
import { resolveExistingFile, resolveWritable } from './paths.ts'
import { defineTool, ToolMistake } from './tool.ts'

const largest = 10 * 1024 * 1024

export const editTool = defineTool({
  name: 'Edit',
  description: 'Replaces old_string in a text file. It must be there exactly once, unless replace_all is true.',
  readOnly: false,
  input: z.object({
    file_path: z.string().min(1).describe('the file, absolute or relative to the working folder'),
    old_string: z.string().min(1),
    new_string: z.string(),
    replace_all: z.boolean().optional(),
  }),
  async work({ file_path, old_string, new_string, replace_all = false }, place) {
    const { file, bytes } = await resolveExistingFile(file_path, place)
    if (bytes > largest) throw new ToolMistake(`${file_path}: too large to edit (${bytes} bytes)`)
    const parts = (await readFile(file, 'utf8')).split(old_string)
    const count = parts.length - 1
    if (count === 0) throw new ToolMistake(`${file_path}: old_string is not in it`)
    if (count > 1 && !replace_all) {
      throw new ToolMistake(`${file_path}: old_string is in it ${count} times; give more of the text, or replace_all`)
    }
    await resolveWritable(file_path, place)
    await writeFile(file, parts.join(new_string))
    return `replaced ${count === 1 ? 'it once' : `it ${count} times`} in ${file_path}`
  },
})

export const writeTool = defineTool({
  name: 'Write',
  description: 'Writes a text file. Makes folders on the way, and replaces a file that is there.',
  readOnly: false,
  input: z.object({
    file_path: z.string().min(1).describe('the file, absolute or relative to the working folder'),
    content: z.string(),
  }),
  async work({ file_path, content }, place) {
    const file = await resolveWritable(file_path, place)
    await mkdir(path.dirname(file), { recursive: true })
    await writeFile(file, content)
    return `wrote ${Buffer.byteLength(content)} bytes to ${file_path}`
  },
})
