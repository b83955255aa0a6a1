/** Reads the content of a message or of a tool's result, as the Anthropic API writes it. */
import * as z from 'zod'

const blocks = z.array(z.looseObject({ type: z.string() }))

/** A string, or blocks; a block without text, such as an image, is shown by its type. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content
  const read = blocks.safeParse(content)
  if (!read.success) return ''
  return read.data.map((one) => (typeof one.text === 'string' ? one.text : `[${one.type}]`)).join('\n')
}
