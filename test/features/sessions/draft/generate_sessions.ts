/** Seeded recorded sessions: paraphrased recurring tasks among tasks that nobody repeats, with corrections, near-duplicates and resumed sessions. */
import type { TranscriptEvent } from '../../../../schemas/transcript.ts'
import type { Session } from '../../../../src/features/sessions/session.ts'
import { createSeededRandom } from '../../../../src/phases/4-report/stats/distributions/seeded_random.ts'
import { oneOffTasks, recurringTasks } from './task_templates.ts'

export interface GeneratedSession {
  session: Session
  /** Index of the recurring task; null: a task that nobody repeats. */
  task: number | null
  /** The session that this one continues; null: none. */
  copyOf: string | null
  /** The session whose request this one repeats; null: none. */
  duplicateOf: string | null
}

const fileNames =
  'sales orders q3 invoices north data export team_sync report_2024 kunden march utils input final v2 staging'.split(
    ' ',
  )
const words = 'phone locale archived_at nickname plan score acme beta logs media client tenant'.split(' ')
const corrections = [
  'No, use ISO dates instead.',
  'You forgot the header row.',
  'It should be sorted by region.',
  "Please don't change the other files.",
  'That is too long, half a page at most.',
]
const praise = ['Thanks, perfect!', 'Great, that works.', 'looks good']

/** `half`: which wordings are used. `count` sessions: 60% of recurring tasks; of these a tenth are resumed and a tenth near-duplicates. */
export function generateSessions(half: 'tuning' | 'held_out', { count = 300, seed = 1 } = {}): GeneratedSession[] {
  const random = createSeededRandom(seed)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const fill = (text: string) =>
    text
      .replaceAll('{f}', pick(fileNames))
      .replaceAll('{w}', pick(words))
      .replaceAll('{n}', () => String(1 + Math.floor(random() * 9)))
  const made: GeneratedSession[] = []
  const once = [...oneOffTasks]
  while (made.length < count) {
    const number = made.length
    const id = `session-${String(number).padStart(4, '0')}`
    const draw = random()
    const before = made.length > 20 ? pick(made) : null
    if (before !== null && draw < 0.06) made.push(resume(before, id))
    else if (before !== null && before.task !== null && draw < 0.12) made.push(nearDuplicate(before, id))
    else if (draw < 0.4 && once.length > 0) {
      const [text = ''] = once.splice(Math.floor(random() * once.length), 1)
      made.push({ session: buildSession(id, number, [text]), task: null, copyOf: null, duplicateOf: null })
    } else {
      const task = Math.floor(random() * recurringTasks.length)
      const { wordings, ending } = recurringTasks[task] ?? { wordings: [], ending: '' }
      const text = fill(pick(half === 'tuning' ? wordings.slice(0, 3) : wordings.slice(3)))
      const later = [...(random() < 0.4 ? [pick(corrections)] : []), ...(random() < 0.5 ? [pick(praise)] : [])]
      made.push({ session: buildSession(id, number, [text, ...later], ending), task, copyOf: null, duplicateOf: null })
    }
  }
  return made
}

export function buildSession(id: string, number: number, messages: readonly string[], ending = '.txt'): Session {
  const at = new Date(Date.UTC(2026, 0, 1, 8) + number * 3_600_000).toISOString()
  const cwd = '/home/mira.oduya/projects/shop'
  const events: TranscriptEvent[] = messages.flatMap((text, index): TranscriptEvent[] => {
    const step = index + 1
    const input = { file_path: `${cwd}/out/result${ending}`, content: 'x' }
    return [
      { type: 'user', at, step, text },
      { type: 'tool_call', at, step, id: `${id}-${step}`, name: 'Write', input },
      { type: 'tool_result', at, step, id: `${id}-${step}`, name: 'Write', output: 'ok', is_error: false },
      { type: 'assistant', at, step, text: `Done: out/result${ending}` },
    ]
  })
  return {
    file: `/home/mira.oduya/.claude/projects/-home-mira-oduya-projects-shop/${id}.jsonl`,
    agent: 'claude-code',
    id,
    model: 'some-model',
    cwd,
    startedAt: at,
    endedAt: at,
    skills: { offered: null, read: [] },
    usage: null,
    costUsd: null,
    events,
    unread: { count: 0, first: null },
    records: events.length,
  }
}

/** The record of the resumed session begins with that of the earlier one. */
function resume({ session, task }: GeneratedSession, id: string): GeneratedSession {
  const at = session.endedAt ?? ''
  const step = 90
  const more: TranscriptEvent[] = [
    { type: 'user', at, step, text: 'Now continue where we stopped.' },
    { type: 'assistant', at, step, text: 'Done.' },
  ]
  return {
    session: { ...session, id, events: [...session.events, ...more] },
    task,
    copyOf: session.id,
    duplicateOf: null,
  }
}

/** The same request once more with other blanks, case and a greeting. */
function nearDuplicate({ session, task }: GeneratedSession, id: string): GeneratedSession {
  const events = session.events.map((event, index) =>
    event.type === 'user' && index === 0 ? { ...event, text: `Hi!  ${event.text.toLowerCase()}  thanks` } : event,
  )
  const startedAt = new Date(Date.parse(session.startedAt ?? '') + 1000 * Number(id.slice(-4))).toISOString()
  return { session: { ...session, id, startedAt, events }, task, copyOf: null, duplicateOf: session.id }
}
