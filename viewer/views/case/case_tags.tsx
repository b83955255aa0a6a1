/** The tags of a case, in its row and on its page. */
import { columnEntry, type Model } from '../../data/model.ts'
import { displayCount, displayPlural } from '../../format.ts'

interface Tag {
  text: string
  kind: '' | 'worse' | 'warn'
  /** A tooltip. */
  title?: string
}

/** Quarantined, regression, varies between runs, undecided, timed out, skill not read, cannot run. */
export function listCaseTags(model: Model, index: number): Tag[] {
  const one = columnEntry(model.page.cases, index)
  const runs = model.ofCase(index).map((place) => model.run(place))
  const open = runs.reduce((sum, run) => sum + run.undecided, 0)
  const all = runs.reduce((sum, run) => sum + run.undecided + run.total, 0)
  const unread = runs.filter((run) => run.read === false).length
  const late = runs.filter((run) => run.timedOut).length
  return [
    ...(one.quarantine === undefined ? [] : [{ text: 'quarantined', kind: '', title: apart } as const]),
    ...(one.cannot_run === null ? [] : [{ text: 'cannot run', kind: 'warn' } as const]),
    ...((one.delta ?? 0) < 0
      ? [{ text: 'regression', kind: 'worse', title: 'The pass rate is lower than that of the baseline.' } as const]
      : []),
    ...(one.flaky ? [{ text: 'varies between runs', kind: '', title: varies } as const] : []),
    ...(open > 0 ? [{ text: `${displayCount(open)} of ${displayCount(all)} undecided`, kind: 'warn' } as const] : []),
    ...(unread > 0 ? [{ text: `skill not read in ${displayPlural(unread, 'run')}`, kind: 'warn' } as const] : []),
    ...(one.owners ? [{ text: `owners: ${one.owners.join(', ')}`, kind: '' } as const] : []),
    ...(late > 0 ? [{ text: `${displayCount(late)} timed out`, kind: 'worse' } as const] : []),
  ]
}

const apart = 'The case runs and is reported, but counts in no number and no gate.'
const varies = 'In the same configuration some runs passed everything and others did not.'

export function CaseTags({ tags }: { tags: readonly Tag[] }) {
  return (
    <>
      {tags.map(({ text, kind, title }) => (
        <em key={text} class={`tag ${kind}`} title={title}>
          {text}
        </em>
      ))}
    </>
  )
}
