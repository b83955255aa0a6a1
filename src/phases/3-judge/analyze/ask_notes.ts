/** Asks a model for notes on a benchmark, each with the claims that it rests on. */
import { readFileSync } from 'node:fs'
import Handlebars from 'handlebars'
import { z } from 'zod'
import { analystNote } from '../../../../schemas/analyst_notes.ts'
import { type Asked, ask } from '../ask.ts'
import { type Asking, questionTo } from '../compare/asking.ts'
import { fenceFor } from '../fence.ts'

const notesPromptSource = readFileSync(new URL('./notes_prompt.md', import.meta.url), 'utf8')
const template = Handlebars.compile(notesPromptSource, { strict: true, noEscape: true })

const notesAnswer = z.object({ notes: z.array(analystNote).max(8) })

/** `numbers`: JSON text; `rules`: the notes that rules made. */
export async function askNotes(
  { numbers, rules, cwd }: { numbers: string; rules: readonly string[]; cwd: string },
  asking: Asking,
): Promise<Asked<z.infer<typeof notesAnswer>>> {
  const listed = rules.map((note) => `- ${note}`).join('\n')
  const prompt = template({ numbers, fence: fenceFor(numbers), rules: listed, rulesFence: fenceFor(listed) })
  return await ask({ ...questionTo(asking, { prompt, cwd, mark: null, tools: 'none' }), schema: notesAnswer })
}
