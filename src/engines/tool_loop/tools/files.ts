/** The tools for files: Read shows a text file with line numbers, or an image; Edit replaces text in one; Write writes one. */
import { mkdir, open, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import * as z from 'zod'
import { findImageType, type ImageType } from '../../../base/fs/image_type.ts'
import { resolveExistingFile, resolveWritable } from './paths.ts'
import { defineTool, type ToolAnswer, ToolMistake } from './tool.ts'

const MiB = 1024 * 1024
const bytesRead = 10 * MiB
const imageLimit = 5 * MiB
const lineLimit = 2000
const textLimit = 100_000
const defaultLines = 2000

export const readFileTool = defineTool({
  name: 'Read',
  description:
    'Reads a file: text with line numbers (a number, a tab, the line), or an image (PNG, JPEG, GIF, WebP). ' +
    'Long files come in parts: give offset and limit.',
  readOnly: true,
  input: z.object({
    file_path: z.string().min(1).describe('the file, absolute or relative to the working folder'),
    offset: z.number().int().positive().optional().describe('first line, from 1'),
    limit: z.number().int().positive().optional().describe(`number of lines; ${defaultLines} if not given`),
  }),
  async work({ file_path, offset = 1, limit = defaultLines }, place) {
    const { file, bytes } = await resolveExistingFile(file_path, place)
    const content = await head(file, bytesRead)
    const mediaType = findImageType(content)
    if (mediaType !== null) return imageAnswer(file_path, { mediaType, content, bytes })
    if (content.includes(0)) throw new ToolMistake(`${file_path}: a binary file (${bytes} bytes)`)
    const part = numberLines(content.toString('utf8'), offset, limit)
    if (bytes <= bytesRead) return part
    return `${part}\n… only the first ${bytesRead} of ${bytes} bytes can be read with this tool`
  },
})

async function head(file: string, limit: number): Promise<Buffer> {
  const handle = await open(file, 'r')
  try {
    const { size } = await handle.stat()
    const buffer = Buffer.alloc(Math.min(size, limit))
    const { bytesRead: length } = await handle.read(buffer, 0, buffer.length, 0)
    return buffer.subarray(0, length)
  } finally {
    await handle.close()
  }
}

/** Lines as `<number>\t<line>`. Long lines and the whole text are cut; a note says how many lines there are. */
function numberLines(text: string, offset: number, limit: number): string {
  if (text === '') return '(the file is empty)'
  const lines = text.replace(/\n$/, '').split('\n')
  if (offset > lines.length)
    throw new ToolMistake(`offset ${offset} is behind the end: the file has ${lines.length} lines`)
  const shown: string[] = []
  let size = 0
  for (const [index, line] of lines.slice(offset - 1, offset - 1 + limit).entries()) {
    const cut = line.length > lineLimit ? `${line.slice(0, lineLimit)}… (line cut)` : line
    size += cut.length
    if (size > textLimit && shown.length > 0) break
    shown.push(`${offset + index}\t${cut}`)
  }
  const next = offset + shown.length
  if (next <= lines.length) shown.push(`… ${lines.length} lines in all; go on with offset ${next}`)
  return shown.join('\n')
}

interface Image {
  mediaType: ImageType
  content: Buffer
  bytes: number
}

function imageAnswer(name: string, { mediaType, content, bytes }: Image): ToolAnswer {
  if (bytes > imageLimit)
    throw new ToolMistake(`${name}: an image of ${bytes} bytes; at most ${imageLimit} can be shown`)
  const image = { mediaType, data: content.toString('base64') }
  return { text: `${name}: ${mediaType}, ${bytes} bytes`, isError: false, image }
}

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
