/** Drafts cases and trigger queries from the tasks of recorded sessions. Pure; no model. */
import type { EvalCase } from '../../../../schemas/evals.ts'
import { draftMark } from '../../../phases/1-plan/formats/evals_json/case.ts'
import { isSameSkill } from '../../../phases/1-plan/skill/read_skill.ts'
import { slugOfFirstWords } from '../../../phases/1-plan/skill/slug.ts'
import type { RecurringTask } from './recurring_tasks.ts'

const [mostExpectations, mostFiles, mostSessions] = [6, 12, 50]

export function draftSessionCase({ sessions, split }: RecurringTask, id: number): EvalCase {
  const prompt = sessions[0].messages[0] ?? ''
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
  const unite = (lists: readonly (readonly string[])[]) => [...new Set(lists.flat())].slice(0, mostFiles)
  const files = unite(sessions.map((one) => one.files))
  const written = unite(sessions.map((one) => one.written))
  return {
    id,
    name: slugOfFirstWords(prompt) || `task-${id}`,
    prompt,
    ...(accepted && { expected_output: `An answer that the user accepted: "${quoteRemark(accepted.one.answer)}"` }),
    expectations: expectations.length === 0 && !accepted ? ['The request in the prompt is met in full.'] : expectations,
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

export interface SessionQuery {
  query: string
  should_trigger: boolean
  split: 'train' | 'test'
  note: string
  review: typeof draftMark
}

/** An author reviews each of them. */
const [longestQuery, mostQueries] = [2000, 30]

/**
 * First messages of sessions, each text once, at most 30 that should trigger the skill (it was read) and 30 that should not. Left out: messages of
 * a task in whose other sessions the skill was read. Empty if no session read the skill: nothing would show when it is needed.
 */
export function draftSessionQueries(tasks: readonly RecurringTask[], skill: string): SessionQuery[] {
  const found = new Map<string, SessionQuery>()
  for (const { sessions, split } of tasks) {
    const isRead = (skills: readonly string[]) => skills.some((name) => isSameSkill(name, skill))
    const reading = sessions.filter(({ skills }) => isRead(skills))
    for (const { messages, agent, id } of reading.length > 0 ? reading : sessions) {
      const query = (messages[0] ?? '').trim()
      const key = query.toLowerCase().replaceAll(/\s+/g, ' ')
      if (query.length > longestQuery || found.has(key)) continue
      found.set(key, {
        query,
        should_trigger: reading.length > 0,
        split: split === 'train' ? 'train' : 'test',
        note: `first message of ${agent} session ${id}`,
        review: draftMark,
      })
    }
  }
  const all = [...found.values()]
  const triggering = all.filter((one) => one.should_trigger).slice(0, mostQueries)
  return triggering.length === 0
    ? []
    : [...triggering, ...all.filter((one) => !one.should_trigger).slice(0, mostQueries)]
}

/** Endings of files that at least half of the sessions write. */
function findUsualEndings(lists: readonly (readonly string[])[]): string[] {
  const endings = lists.map(
    (files) => new Set(files.flatMap((file) => /\.[a-z0-9]{1,8}$/i.exec(file)?.[0].toLowerCase() ?? [])),
  )
  const all = [...new Set(endings.flatMap((set) => [...set]))]
  return all.filter((ending) => endings.filter((set) => set.has(ending)).length * 2 >= lists.length).slice(0, 3)
}

/** What the person's later messages say of the result; English and German words. */
interface Remarks {
  /** Later messages that ask for something else, each in at most two sentences. */
  corrections: string[]
  /** The last message that says something says that the result is good. */
  accepted: boolean
}

const praise =
  /\b(?:thanks?|thank you|thx|perfect|great|awesome|excellent|nice|lovely|looks? good|lgtm|well done|that works|works (?:now|well|fine)|exactly|good job|ship it|love it|danke|super|passt|prima|perfekt)\b/i
const correction =
  /^(?:no\b|nope|not quite|wrong|stop|wait|hmm|actually|almost|nein|nicht)|\b(?:don['’]?t|do not|shouldn['’]?t|should(?:n['’]t)? (?:be|have|not|use|go|come|start|end)|must (?:be|have|not|use)|instead|rather than|wrong|incorrect|mistake|missing|forgot|you (?:left out|missed|skipped|dropped)|not what|still (?:not|has|have|shows?|missing|wrong)|doesn['’]?t|does not|isn['’]?t|aren['’]?t|too (?:long|short|many|few|big|small|much|formal)|i (?:meant|asked|said|wanted)|as i said|always|never|needs? to be|fix|redo|undo|revert|change (?:it|that|the|this)|falsch|sondern|stattdessen|fehlt|bitte (?:nicht|kein))\b/i

const longestQuote = 240

/** `later`: the messages after the task. */
function readRemarks(later: readonly string[]): Remarks {
  const corrections = later.filter(isCorrection).map(quoteRemark)
  const last = later.findLast((text) => isCorrection(text) || praise.test(text))
  return { corrections: [...new Set(corrections)], accepted: last !== undefined && !isCorrection(last) }
}

/** "Thanks, but use commas" is a correction; "Thanks, that isn't needed" too: better one too many to review. */
function isCorrection(text: string): boolean {
  const plain = text.trim()
  if (plain.length > 1500 || !correction.test(plain)) return false
  return !(praise.test(plain) && plain.length < 60 && !/\bbut\b|\baber\b/i.test(plain) && !/^no\b/i.test(plain))
}

/** On one line, without greetings, cut after a sentence. */
function quoteRemark(text: string): string {
  const flat = text
    .replaceAll(/```[\s\S]*?(?:```|$)/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
  if (flat.length <= longestQuote) return flat
  const cut = flat.slice(0, longestQuote)
  const end = Math.max(cut.lastIndexOf('. '), cut.lastIndexOf('! '), cut.lastIndexOf('? '))
  return end > 60 ? cut.slice(0, end + 1) : `${cut.slice(0, cut.lastIndexOf(' '))} …`
}
