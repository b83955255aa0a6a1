/** Shows provenance as a list of names and values. */
import type { ComponentChildren } from 'preact'

interface Props {
  id: string
  title: string
  facts: readonly { name: string; value: string }[]
  children?: ComponentChildren
}

export function Facts({ id, title, facts, children }: Props) {
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <dl class="facts">
        {facts.map(({ name, value }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <bdi>{value}</bdi>
            </dd>
          </div>
        ))}
      </dl>
      {children}
    </section>
  )
}
