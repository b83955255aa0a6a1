/** Asks a model for notes on a benchmark, each with the claims that support it. */
import { readFileSync } from 'node:fs'
import Handlebars from 'handlebars'
import * as z from 'zod'
import { analystNote } from '../../../../schemas/analyst_notes.ts'
import { buildCodeFence } from '../../../base/text/fence.ts'
import { type AskOutcome, askEngine } from '../../../engines/ask/ask.ts'
import { buildJudgeTask, type JudgeContext } from '../compare/ask_outside_grading.ts'

const notesPromptSource = readFileSync(new URL('./notes_prompt.md', import.meta.url), 'utf8')
const template = Handlebars.compile(notesPromptSource, { strict: true, noEscape: true })

const notesAnswer = z.object({ notes: z.array(analystNote).max(8) })

/** `numbers`: JSON text; `rules`: the notes from rules. */
export async function askNotes(
  { numbers, rules, cwd }: { numbers: string; rules: readonly string[]; cwd: string },
  asking: JudgeContext,
): Promise<AskOutcome<z.infer<typeof notesAnswer>>> {
  const listed = rules.map((note) => `- ${note}`).join('\n')
  const prompt = template({
    numbers,
    fence: buildCodeFence(numbers),
    rules: listed,
    rulesFence: buildCodeFence(listed),
  })
  return await askEngine({ ...buildJudgeTask(asking, { prompt, cwd, mark: null, tools: 'none' }), schema: notesAnswer })
}
