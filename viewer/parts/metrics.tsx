/** The numbers of a run in one line; what is not known is not shown. */
import type { Run } from '../data/model.ts'
import { count, dollars, plural, seconds } from '../words.ts'

export function Metrics({ run }: { run: Run }) {
  const facts: [string, string | null][] = [
    ['time', run.seconds === null ? null : seconds(run.seconds)],
    ['tokens', run.tokens === null ? null : count(run.tokens)],
    ['tool calls', run.calls === null ? null : count(run.calls)],
    ['cost', run.cost === null ? null : dollars(run.cost)],
    ['skill', run.read === null ? null : run.read ? 'read' : 'not read'],
    ['errors', run.errors === 0 ? null : plural(run.errors, 'error')],
  ]
  return (
    <dl class="strip">
      {facts.map(([name, value]) =>
        value === null ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  )
}
