/** Shows the differences between any two versions of a skill, file by file. */
import type { PageVersions } from '../../../schemas/page.ts'
import { loadSkillVersions } from '../../data/load_on_demand.ts'
import type { Model } from '../../data/model.ts'
import { ownEntry } from '../../data/own_property.ts'
import { bytesText, revealHidden } from '../../format.ts'
import { Diff } from '../../parts/content/text_diff.tsx'
import { Choice } from '../../parts/layout/dropdown.tsx'
import { useAsync } from '../../parts/page/delayed.ts'
import { amendRoute, type Route } from '../../route.ts'

interface Props {
  model: Model
  route: Route
  names: readonly string[]
}

export function SkillDiff({ model, route, names }: Props) {
  const loaded = useAsync(() => loadSkillVersions(model), [model])
  const history = model.page.extras.history
  const best = history !== undefined && 'value' in history ? history.value.current_best : ''
  const from = names.find((name) => name === route.query.from) ?? names[0] ?? ''
  const to = names.find((name) => name === route.query.to) ?? names.find((name) => name === best) ?? names.at(-1) ?? ''
  const choose = (side: 'from' | 'to', value: string) => (
    <Choice
      label={`${side} version`}
      options={names.map((name) => [name, name] as const)}
      value={value}
      choose={(chosen) => amendRoute(route, { [side]: chosen })}
    >
      {side}
    </Choice>
  )
  return (
    <section aria-labelledby="skill-diff">
      <div class="section-head">
        <h2 id="skill-diff">What was changed</h2>
        <span class="chips">
          {choose('from', from)} {choose('to', to)}
        </span>
      </div>
      {loaded === undefined ? (
        <p class="empty">Reading…</p>
      ) : 'problem' in loaded ? (
        <p class="empty">Can't be read: {loaded.problem}</p>
      ) : loaded.value === null ? (
        <p class="empty">This page has no room for the versions; they are in versions/.</p>
      ) : (
        <Changes versions={loaded.value} from={from} to={to} />
      )}
    </section>
  )
}

interface ChangesProps {
  versions: PageVersions
  from: string
  to: string
}

function Changes({ versions: { versions, texts }, from, to }: ChangesProps) {
  const [before, after] = [ownEntry(versions, from) ?? [], ownEntry(versions, to) ?? []]
  const paths = [...new Set([...before, ...after].map(({ path }) => path))].sort()
  const changed = paths.flatMap((path) => {
    const [a, b] = [before, after].map((files) => files.find((file) => file.path === path))
    return a !== undefined && b !== undefined && a.sha256 !== null && a.sha256 === b.sha256 ? [] : [{ path, a, b }]
  })
  if (changed.length === 0) return <p class="empty">No difference.</p>
  const textOf = (file: (typeof changed)[number]['a']) =>
    file === undefined ? '' : file.text && file.sha256 !== null ? ownEntry(texts, file.sha256) : undefined
  return (
    <>
      {changed.map(({ path, a, b }) => {
        const [left, right] = [textOf(a), textOf(b)]
        return (
          <article key={path} class="pair">
            <h3>
              <bdi>{revealHidden(path)}</bdi>{' '}
              <small>{a === undefined ? 'added' : b === undefined ? 'deleted' : 'changed'}</small>
            </h3>
            {left === undefined || right === undefined ? (
              <p class="hint">
                Not shown as text:{' '}
                {[a, b].map((file) => (file === undefined ? '–' : bytesText(file.bytes))).join(' → ')}
              </p>
            ) : (
              <Diff before={left} after={right} />
            )}
          </article>
        )
      })}
    </>
  )
}
