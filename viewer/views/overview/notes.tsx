/** The notes of the benchmark: the cases and runs that they name are links, and so are the runs that they count. */
import type { Model } from '../../data/model.ts'
import { searchRuns } from '../../data/search_query.ts'
import { CodeSpans } from '../../parts/content/code_spans.tsx'
import { routeLink } from '../../route.ts'
import { isShownElsewhere } from './headline.ts'

interface NotePart {
  text: string
  /** null: text that names nothing on this page. */
  href: string | null
}

/** What a note is about, by its words, and the search that finds its runs. */
const topics: readonly [RegExp, string][] = [
  [/could not be judged/, 'is:undecided'],
  [/ timed out; /, 'status:timed_out'],
  [/asking the user/, 'is:asked'],
  [/instruct the judge/, 'is:suspicious'],
  [/without evidence/, 'is:unverified'],
]

export function Notes({ model }: { model: Model }) {
  const { benchmark, compared } = model.page
  // the numbers in the notes of two benchmarks are those of each, not of this page
  const isOwn = compared === undefined
  const notes = benchmark.notes.filter((note) => !isOwn || !isShownElsewhere(note))
  if (notes.length === 0) return null
  return (
    <section aria-labelledby="notes">
      <h2 id="notes">Notes</h2>
      <ul class="notes">
        {notes.map((note) => (
          <li key={note}>
            {isOwn ? linkMentions(model, note).map(renderPart) : <CodeSpans text={note} />}{' '}
            {isOwn && <RunsLink model={model} note={note} />}
          </li>
        ))}
      </ul>
    </section>
  )
}

function renderPart({ text, href }: NotePart) {
  return href === null ? <CodeSpans text={text} /> : <a href={href}>{text}</a>
}

function RunsLink({ model, note }: { model: Model; note: string }) {
  const query = topics.find(([words]) => words.test(note))?.[1]
  const runs = query === undefined ? 0 : searchRuns(model, query).length
  if (runs === 0) return null
  return <a href={routeLink(['runs'], { q: query })}>Show {runs === 1 ? 'the run' : `the ${runs} runs`}</a>
}

/** "eval 1, with_skill run 2", "with_skill run 2 of eval 1", "1/with_skill/run-2", "eval 1", "evals 1, 2". */
const mention =
  /\b(?:eval|case) (\d+), (\w+) run (\d+)|\b(\w+) run (\d+) of (?:eval|case) (\d+)|\b(\d+)\/(\w+)\/run-(\d+)|\b(?:eval|case) (\d+)|\b(?:evals|cases) \d+(?:, \d+)*/g

function linkMentions(model: Model, note: string): NotePart[] {
  const parts: NotePart[] = []
  let end = 0
  for (const found of note.matchAll(mention)) {
    parts.push({ text: note.slice(end, found.index), href: null }, ...linkMention(model, found))
    end = found.index + found[0].length
  }
  return [...parts, { text: note.slice(end), href: null }]
}

function linkMention(model: Model, found: RegExpMatchArray): NotePart[] {
  const [text, id1, arm1, run1, arm2, run2, id2, id3, arm3, run3, id4] = found
  const [id, arm, run] = [id1 ?? id2 ?? id3 ?? id4, arm1 ?? arm2 ?? arm3, run1 ?? run2 ?? run3]
  if (id === undefined) {
    return text.split(/(\d+)/).map((part) => ({ text: part, href: /^\d/.test(part) ? caseAddress(model, part) : null }))
  }
  const isRun = arm !== undefined && run !== undefined && model.find(Number(id), arm, Number(run)) >= 0
  return [{ text, href: isRun ? routeLink(['run', id, arm, run]) : caseAddress(model, id) }]
}

/** null: the page has no such case. */
function caseAddress(model: Model, id: string): string | null {
  return model.caseAt(Number(id)) < 0 ? null : routeLink(['case', id])
}
