/** What is missing from the numbers, before any of them: each kind apart, each with a way to its runs or cases. */
import type { Page, PageRuns } from '../../schemas/page.ts'
import type { Model } from '../data/model.ts'
import { statusText } from '../data/why.ts'
import { link } from '../route.ts'
import { count, plural } from '../words.ts'

interface Chip {
  text: string
  href: string
}

interface Group {
  name: string
  chips: Chip[]
}

export function Missing({ model }: { model: Model }) {
  const { said, benchmark, running } = model.page
  const problems = benchmark.problems?.length ?? 0
  const groups = groupsOf(model.page).filter(({ chips }) => chips.length > 0)
  if (said.incomplete === null && groups.length === 0 && problems === 0 && !running) return null
  return (
    <section class={`banner ${running ? 'running' : ''}`} aria-labelledby="missing">
      <h2 id="missing">{running ? 'Running' : said.incomplete === null ? 'Beside the rates' : 'Incomplete'}</h2>
      {running ? <p>{progress(model.page.runs)}</p> : said.incomplete !== null && <p>{said.incomplete}</p>}
      {groups.map(({ name, chips }) => (
        <p class="chips" key={name}>
          <span class="chip-name">{name}</span>
          {chips.map(({ text, href }) => (
            <a key={text} class="chip plain" href={href}>
              {text}
            </a>
          ))}
        </p>
      ))}
      {problems > 0 && <p>{plural(problems, 'file')} could not be read; the notes say which.</p>}
    </section>
  )
}

function progress({ status }: PageRuns): string {
  const graded = status.filter((one) => one === 'graded').length
  return `${count(graded)} of ${plural(status.length, 'planned run')} graded so far; the numbers change with each that comes in.`
}

function groupsOf({ runs, cases, running }: Page): Group[] {
  const reasons = new Map<string, number>()
  for (const status of runs.status) {
    if (status !== 'graded') reasons.set(status, (reasons.get(status) ?? 0) + 1)
  }
  const chip = ([status, number]: [string, number]): Chip => ({
    text: `${plural(number, 'run')} ${statusText(status, running)}`,
    href: toRuns(`status:${quoted(status)}`),
  })
  const all = [...reasons]
  return [
    { name: 'in no rate', chips: all.filter(([status]) => status !== 'ungraded').map(chip) },
    { name: 'undecided in graded runs', chips: undecidedIn(runs) },
    { name: 'cannot run', chips: stuckIn(cases) },
    { name: 'counted as failed', chips: lateIn(runs) },
    { name: 'by design', chips: all.filter(([status]) => status === 'ungraded').map(chip) },
  ]
}

function undecidedIn({ status, undecided, total }: PageRuns): Chip[] {
  const own = status.flatMap((one, index) => (one === 'graded' && (undecided[index] ?? 0) > 0 ? [index] : []))
  const open = own.reduce((sum, index) => sum + (undecided[index] ?? 0), 0)
  const of = own.reduce((sum, index) => sum + (undecided[index] ?? 0) + (total[index] ?? 0), 0)
  if (open === 0) return []
  const text = `${count(open)} of ${plural(of, 'expectation')} in ${plural(own.length, 'run')}`
  return [{ text, href: toRuns('is:undecided status:graded') }]
}

function stuckIn(cases: Page['cases']): Chip[] {
  const stuck = cases.filter(({ cannot_run }) => cannot_run !== null)
  const [first] = stuck
  if (first === undefined) return []
  const href = stuck.length === 1 ? link(['case', first.eval_id]) : link([], { q: 'is:stuck' })
  return [{ text: plural(stuck.length, 'case'), href }]
}

function lateIn({ timed_out }: PageRuns): Chip[] {
  const late = timed_out.filter((one) => one === 1).length
  return late === 0 ? [] : [{ text: `${plural(late, 'run')} timed out`, href: toRuns('status:timed_out') }]
}

function toRuns(q: string): string {
  return link(['runs'], { q })
}

function quoted(text: string): string {
  return /\s/.test(text) ? `"${text}"` : text
}
