/** Drafts trigger queries from the first messages of sessions. Pure. */
import { draftMark } from '../formats/evals_json/case.ts'
import { isSameSkill } from '../triggers/labels.ts'
import type { MinedTask } from './recurring_tasks.ts'
import type { SessionTask } from './session_task.ts'

interface MinedQuery {
  query: string
  /** With a skill: whether it was read. */
  should_trigger?: boolean
  /** Without a skill: the names of those that were read, as in a routing set. */
  expected?: string[]
  split: 'train' | 'test'
  note: string
  review: typeof draftMark
}

export interface MinedQueries {
  queries: MinedQuery[]
  /** First messages left out, because the skill was read in other sessions of the same task. */
  unclear: string[]
}

const longestQuery = 2000

/** Each text once. `skill`: null: a routing set of all skills that were read. */
export function draftMinedQueries(tasks: readonly MinedTask[], skill: string | null): MinedQueries {
  const found = new Map<string, MinedQuery>()
  const unclear: string[] = []
  for (const { sessions, split } of tasks) {
    const readBy = (one: SessionTask) => one.skills.filter((name) => skill === null || isSameSkill(name, skill))
    const isReadInTask = sessions.some((one) => readBy(one).length > 0)
    // the sessions that read it first: of two with the same text, these decide
    for (const one of [...sessions].sort((a, b) => readBy(b).length - readBy(a).length)) {
      const query = (one.messages[0] ?? '').trim()
      const key = query.toLowerCase().replaceAll(/\s+/g, ' ')
      if (query.length > longestQuery || found.has(key)) continue
      const read = readBy(one)
      if (read.length === 0 && isReadInTask) {
        unclear.push(query)
        continue
      }
      found.set(key, {
        query,
        ...(skill === null ? { expected: [...new Set(read)] } : { should_trigger: read.length > 0 }),
        split: split === 'train' ? 'train' : 'test',
        note: `first message of ${one.agent} session ${one.id}`,
        review: draftMark,
      })
    }
  }
  return { queries: [...found.values()], unclear }
}
