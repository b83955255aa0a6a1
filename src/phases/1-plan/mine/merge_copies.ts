/** Joins the records of one session: a resumed session repeats the first message and the start of the one before it. Pure. */
import type { SessionTask } from './session_task.ts'

/** Each session once, in its longest record, in the given order; how many records were joined into others. */
export function mergeCopies(sessions: readonly SessionTask[]): { sessions: SessionTask[]; copies: number } {
  const kept: SessionTask[] = []
  for (const one of sessions) {
    const at = kept.findIndex((other) => isSameSession(one, other))
    const other = kept[at]
    if (other === undefined) kept.push(one)
    else kept[at] = joinRecords(other, one)
  }
  return { sessions: kept, copies: sessions.length - kept.length }
}

function isSameSession(a: SessionTask, b: SessionTask): boolean {
  if (a.agent !== b.agent || a.messages[0] !== b.messages[0]) return false
  return a.id === b.id || (a.startedAt !== null && a.startedAt === b.startedAt)
}

function joinRecords(a: SessionTask, b: SessionTask): SessionTask {
  const [long, short] = b.messages.length > a.messages.length ? [b, a] : [a, b]
  const union = (x: readonly string[], y: readonly string[]) => [...new Set([...x, ...y])]
  return {
    ...long,
    answer: long.answer || short.answer,
    files: union(long.files, short.files),
    written: union(long.written, short.written),
    skills: union(long.skills, short.skills),
  }
}
