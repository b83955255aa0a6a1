/** Drafts a case from the sessions of a recurring task. Pure; no model. */
import type { EvalCase } from '../../../../schemas/evals.ts'
import { draftMark } from '../formats/evals_json/case.ts'
import { slugOfFirstWords } from '../skill/slug.ts'
import type { MinedTask } from './recurring_tasks.ts'
import { quoteRemark, readRemarks } from './remarks.ts'

const [mostExpectations, mostFiles, mostSessions] = [6, 12, 50]

/** A statement for a task on which nobody said anything; the report asks for better ones. */
const unremarked = 'The request in the prompt is met in full.'

export function draftMinedCase(task: MinedTask, id: number): EvalCase {
  const { sessions, split } = task
  const [typical] = sessions
  const prompt = typical.messages[0] ?? ''
  const remarks = sessions.map((one) => ({ one, ...readRemarks(one.messages.slice(1)) }))
  const corrections = [...new Set(remarks.flatMap((each) => each.corrections))]
  const accepted = remarks.find((each) => each.accepted && each.one.answer.trim() !== '')
  const expectations = [
    ...corrections
      .slice(0, mostExpectations)
      .map((text) => `It meets what the user asked for in a correction: "${text}"`),
    ...findUsualEndings(sessions.map(({ written }) => written)).map(
      (ending) => `It writes a file that ends in ${ending}.`,
    ),
  ]
  const files = unite(sessions.map((one) => one.files))
  const written = unite(sessions.map((one) => one.written))
  return {
    id,
    name: slugOfFirstWords(prompt) || `task-${id}`,
    prompt,
    ...(accepted && { expected_output: `An answer that the user accepted: "${quoteRemark(accepted.one.answer)}"` }),
    expectations: expectations.length === 0 && !accepted ? [unremarked] : expectations,
    split,
    origin: {
      count: sessions.length,
      corrected: remarks.filter((each) => each.corrections.length > 0).length,
      accepted: remarks.filter((each) => each.accepted).length,
      sessions: sessions
        .slice(0, mostSessions)
        .map(({ agent, id: session, startedAt }) => ({ agent, session, started_at: startedAt })),
      ...(files.length > 0 && { files }),
      ...(written.length > 0 && { written }),
    },
    review: draftMark,
  }
}

function unite(lists: readonly (readonly string[])[]): string[] {
  return [...new Set(lists.flat())].slice(0, mostFiles)
}

/** Endings of files that at least half of the sessions write. */
function findUsualEndings(lists: readonly (readonly string[])[]): string[] {
  const endings = lists.map(
    (files) => new Set(files.flatMap((file) => /\.[a-z0-9]{1,8}$/i.exec(file)?.[0].toLowerCase() ?? [])),
  )
  const all = [...new Set(endings.flatMap((set) => [...set]))]
  return all.filter((ending) => endings.filter((set) => set.has(ending)).length * 2 >= lists.length).slice(0, 3)
}
