/** Shows what is missing from the numbers, before any of them: each kind with links to its runs or cases. */
import type { Page, PageRuns } from '../../../schemas/page.ts'
import type { Model } from '../../data/model.ts'
import { countRunsText } from '../../data/why_missing.ts'
import { displayCount, displayPlural } from '../../format.ts'
import { routeLink } from '../../route.ts'
import { withoutReasons } from './headline.ts'

interface Chip {
  text: string
  href: string
}

interface Group {
  name: string
  chips: Chip[]
}

export function MissingParts({ model }: { model: Model }) {
  const { said, benchmark, running } = model.page
  const problems = benchmark.problems?.length ?? 0
  // the verdicts of an eval say which cases cannot run, and why
  const isEval = model.page.extras.evaluation !== undefined
  const groups = missingGroups(model.page).filter(
    ({ name, chips }) => chips.length > 0 && !(isEval && name === 'cannot run'),
  )
  if (said.incomplete === null && groups.length === 0 && problems === 0 && !running) return null
  return (
    <section class={`banner ${running ? 'running' : ''}`} aria-labelledby="missing">
      <h2 id="missing">{running ? 'Running' : said.incomplete === null ? 'Excluded or undecided' : 'Incomplete'}</h2>
      {running ? (
        <p>{progress(model.page.runs)}</p>
      ) : (
        said.incomplete !== null && <p>{withoutReasons(said.incomplete)}</p>
      )}
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
      {problems > 0 && <p>{displayPlural(problems, 'file')} could not be read; the notes say which.</p>}
    </section>
  )
}

function progress({ status }: PageRuns): string {
  const graded = status.filter((one) => one === 'graded').length
  return `${displayCount(graded)} of ${displayPlural(status.length, 'planned run')} graded so far; the numbers change with each new one.`
}

function missingGroups({ runs, cases, running }: Page): Group[] {
  const reasons = new Map<string, number>()
  for (const status of runs.status) {
    if (status !== 'graded') reasons.set(status, (reasons.get(status) ?? 0) + 1)
  }
  const chip = ([status, number]: [string, number]): Chip => ({
    text: countRunsText(number, status, running),
    href: runsAddress(`status:${quoteTerm(status)}`),
  })
  const all = [...reasons]
  return [
    { name: 'excluded', chips: all.filter(([status]) => status !== 'ungraded').map(chip) },
    { name: 'undecided in graded runs', chips: undecidedChips(runs) },
    { name: 'cannot run', chips: unrunnableChips(cases) },
    { name: 'counted as failed', chips: timedOutChips(runs) },
    { name: 'by design', chips: all.filter(([status]) => status === 'ungraded').map(chip) },
  ]
}

function undecidedChips({ status, undecided, total }: PageRuns): Chip[] {
  const own = status.flatMap((one, index) => (one === 'graded' && (undecided[index] ?? 0) > 0 ? [index] : []))
  const open = own.reduce((sum, index) => sum + (undecided[index] ?? 0), 0)
  const of = own.reduce((sum, index) => sum + (undecided[index] ?? 0) + (total[index] ?? 0), 0)
  if (open === 0) return []
  const text = `${displayCount(open)} of ${displayPlural(of, 'expectation or check', 'expectations and checks')} in ${displayPlural(own.length, 'run')}`
  return [{ text, href: runsAddress('is:undecided status:graded') }]
}

function unrunnableChips(cases: Page['cases']): Chip[] {
  const stuck = cases.filter(({ cannot_run }) => cannot_run !== null)
  const [first] = stuck
  if (first === undefined) return []
  const href = stuck.length === 1 ? routeLink(['case', first.eval_id]) : routeLink([], { q: 'is:stuck' })
  return [{ text: displayPlural(stuck.length, 'case'), href }]
}

function timedOutChips({ timed_out }: PageRuns): Chip[] {
  const late = timed_out.filter((one) => one === 1).length
  return late === 0 ? [] : [{ text: `${displayPlural(late, 'run')} timed out`, href: runsAddress('status:timed_out') }]
}

function runsAddress(q: string): string {
  return routeLink(['runs'], { q })
}

function quoteTerm(text: string): string {
  return /\s/.test(text) ? `"${text}"` : text
}
