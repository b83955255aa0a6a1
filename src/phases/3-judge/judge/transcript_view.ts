/** Renders the transcript for a judge: only Whetstone's headings begin a line; all other text is behind a bar. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { type ConversationRecord, numberMessages } from '../../../../schemas/conversation.ts'
import type { TranscriptEvent } from '../../../../schemas/transcript.ts'
import { textOrJson } from '../../../base/json/json_text.ts'
import { barLines } from '../../../base/text/fence.ts'
import { readEvents } from '../checks/inputs/events.ts'

/** Characters per record; the middle of a longer one is omitted. */
const longest = 100_000
const longestInDialogue = 2000

/** Uses the run's events, or else its transcript.md; empty: neither exists. */
export async function buildTranscriptView(
  runFolder: string,
  prompt: string,
  conversation?: ConversationRecord,
): Promise<string> {
  const events = await readEvents(path.join(runFolder, 'transcript.jsonl')).catch(() => [])
  if (events.length > 0) return renderEvents(events, prompt, conversation)
  const text = await readFile(path.join(runFolder, 'transcript.md'), 'utf8').catch(() => '')
  return text === '' ? '' : record('the transcript of another tool', [text])
}

/** The messages of a conversation and the answers to them, numbered and shortened; empty: there is none. */
export function buildDialogueView(conversation: ConversationRecord | undefined): string {
  const records = (conversation?.turns ?? []).flatMap(({ prompt, answer }, index) => [
    record(`message ${index + 1} of the user`, [omitMiddle(prompt, longestInDialogue)]),
    record(`the answer to message ${index + 1}`, [omitMiddle(answer, longestInDialogue)]),
  ])
  return records.join('\n')
}

function renderEvents(
  events: readonly TranscriptEvent[],
  prompt: string,
  conversation: ConversationRecord | undefined,
): string {
  const numbers = numberMessages(events, conversation)
  const records = events.flatMap((event, index) => {
    const number = numbers.get(index)
    if (event.type === 'user' && number !== undefined && number > 1)
      return [record(`message ${number} of the user`, [event.text])]
    const shown = toViewRecord(event, prompt)
    if (shown === null) return []
    const [heading, ...texts] = shown
    return [record(event.step > 0 ? `step ${event.step}: ${heading}` : heading, texts)]
  })
  return [record('the task', [prompt]), ...records].join('\n')
}

/** A heading in Whetstone's words, then the texts of others; null: nothing to show. */
function toViewRecord(event: TranscriptEvent, prompt: string): [string, ...string[]] | null {
  switch (event.type) {
    case 'system':
      return null
    case 'user':
      return event.text === prompt ? null : ['the user says', event.text]
    case 'assistant':
      return ['the agent says', event.text]
    case 'thinking':
      return ['the agent thinks', event.text]
    case 'tool_call':
      return ['the agent calls a tool', event.name, textOrJson(event.input)]
    case 'tool_result':
      return [event.is_error ? 'the tool fails' : 'the tool returns', event.name, event.output]
    case 'skill_read':
      return ['the agent reads a skill', event.skill, `through ${event.via}`]
    case 'hook':
      return ['a hook', `${event.event} ${event.tool ?? ''} ${event.outcome}`, event.text]
    case 'error':
      return ['an error', `${event.kind}: ${event.message}`]
    case 'result':
      return ['the final response', event.text]
  }
}

function record(heading: string, texts: readonly string[]): string {
  return [`# ${heading}`, ...texts.filter((text) => text !== '').map((text) => barLines(omitMiddle(text))), ''].join(
    '\n',
  )
}

/** The beginning and the end, with the number of characters between them. */
export function omitMiddle(text: string, most = longest): string {
  if (text.length <= most) return text
  const half = most / 2
  return `${text.slice(0, half)}\n… ${text.length - most} characters …\n${text.slice(-half)}`
}
