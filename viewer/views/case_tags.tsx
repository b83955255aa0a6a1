/** What is to be known of a case beside its numbers, in its row and on its page. */
import { at, type Model } from '../data/model.ts'
import { count } from '../words.ts'

interface Tag {
  text: string
  kind: '' | 'worse' | 'warn'
}

/** Regression, flaky, undecided, timed out, cannot run. */
export function tagsOf(model: Model, index: number): Tag[] {
  const one = at(model.page.cases, index)
  const runs = model.ofCase(index).map((place) => model.run(place))
  const open = runs.reduce((sum, run) => sum + run.undecided, 0)
  const all = runs.reduce((sum, run) => sum + run.undecided + run.total, 0)
  const late = runs.filter((run) => run.timedOut).length
  return [
    ...(one.cannot_run === null ? [] : [{ text: 'cannot run', kind: 'warn' } as const]),
    ...((one.delta ?? 0) < 0 ? [{ text: 'regression', kind: 'worse' } as const] : []),
    ...(one.flaky ? [{ text: 'flaky', kind: '' } as const] : []),
    ...(open > 0 ? [{ text: `${count(open)} of ${count(all)} undecided`, kind: 'warn' } as const] : []),
    ...(late > 0 ? [{ text: `${count(late)} timed out`, kind: 'worse' } as const] : []),
  ]
}

export function CaseTags({ tags }: { tags: readonly Tag[] }) {
  return (
    <>
      {tags.map(({ text, kind }) => (
        <em key={text} class={`tag ${kind}`}>
          {text}
        </em>
      ))}
    </>
  )
}
