/** Removes secrets and personal data from all texts of a session that `mine` may show; names of skills stay, because queries need them. */
import { createPersonalRedactor, type PersonalRedactor } from '../../base/secrets/personal_data.ts'
import type { SessionTask } from '../../phases/1-plan/mine/session_task.ts'

export interface RedactedTasks {
  tasks: SessionTask[]
  redactor: PersonalRedactor
}

/** Returns the redactor as well, for texts that come later. `env`: the user's, whose own keys and name are removed. */
export function redactTasks(
  given: readonly SessionTask[],
  { env, places }: { env: Readonly<Record<string, string | undefined>>; places: readonly string[] },
): RedactedTasks {
  const texts = [...places, ...given.flatMap((one) => [...one.messages, one.answer, ...one.files, ...one.written])]
  const redactor = createPersonalRedactor(env, texts)
  const { text } = redactor
  const tasks = given.map((one) => ({
    ...one,
    id: one.id.replaceAll(/[^\w.:-]/g, '-'),
    messages: one.messages.map(text),
    answer: text(one.answer),
    files: one.files.map(text),
    written: one.written.map(text),
  }))
  return { tasks, redactor }
}
