/** What differs between any two versions of a skill, file by file. */
import { useEffect, useState } from 'preact/hooks'
import type { PageVersions } from '../../schemas/page.ts'
import { skillVersions } from '../data/load.ts'
import type { Model } from '../data/model.ts'
import { own } from '../data/own.ts'
import { Diff } from '../parts/diff.tsx'
import { amend, type Route } from '../route.ts'
import { bytesText, visible } from '../words.ts'

interface Props {
  model: Model
  route: Route
  names: readonly string[]
}

export function SkillDiff({ model, route, names }: Props) {
  const loaded = useVersions(model)
  const history = model.page.extras.history
  const best = history !== undefined && 'value' in history ? history.value.current_best : ''
  const from = names.find((name) => name === route.query.from) ?? names[0] ?? ''
  const to = names.find((name) => name === route.query.to) ?? names.find((name) => name === best) ?? names.at(-1) ?? ''
  const choose = (side: 'from' | 'to', value: string) => (
    <label class="choose">
      {side}
      <select
        aria-label={`${side} version`}
        value={value}
        onChange={({ currentTarget }) => amend(route, { [side]: currentTarget.value })}
      >
        {names.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
  return (
    <section aria-labelledby="skill-diff">
      <div class="section-head">
        <h2 id="skill-diff">What was changed</h2>
        <span class="chips">
          {choose('from', from)} {choose('to', to)}
        </span>
      </div>
      {typeof loaded === 'string' ? <p class="empty">{loaded}</p> : <Changes versions={loaded} from={from} to={to} />}
    </section>
  )
}

/** A text: why they are not there. */
function useVersions(model: Model): PageVersions | string {
  const [loaded, setLoaded] = useState<PageVersions | string>('Reading…')
  useEffect(() => {
    let gone = false
    const arrived = (value: PageVersions | string) => gone || setLoaded(value)
    skillVersions(model).then(
      (value) => arrived(value ?? 'There is no room for the versions in this page; they lie in versions/.'),
      (error: unknown) => arrived(`Not to be read: ${error instanceof Error ? error.message : String(error)}`),
    )
    return () => {
      gone = true
    }
  }, [model])
  return loaded
}

interface ChangesProps {
  versions: PageVersions
  from: string
  to: string
}

function Changes({ versions: { versions, texts }, from, to }: ChangesProps) {
  const [before, after] = [own(versions, from) ?? [], own(versions, to) ?? []]
  const paths = [...new Set([...before, ...after].map(({ path }) => path))].sort()
  const changed = paths.flatMap((path) => {
    const [a, b] = [before, after].map((files) => files.find((file) => file.path === path))
    return a !== undefined && b !== undefined && a.sha256 !== null && a.sha256 === b.sha256 ? [] : [{ path, a, b }]
  })
  if (changed.length === 0) return <p class="empty">No difference.</p>
  const textOf = (file: (typeof changed)[number]['a']) =>
    file === undefined ? '' : file.text && file.sha256 !== null ? own(texts, file.sha256) : undefined
  return (
    <>
      {changed.map(({ path, a, b }) => {
        const [left, right] = [textOf(a), textOf(b)]
        return (
          <article key={path} class="pair">
            <h3>
              <bdi>{visible(path)}</bdi>{' '}
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
