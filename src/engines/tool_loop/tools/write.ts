/** The Write tool: writes a whole text file. */
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import * as z from 'zod'
import { resolveWritable } from './paths.ts'
import { defineTool } from './tool.ts'

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
