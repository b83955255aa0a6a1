/** The numbers of a run in one line; of a graded one it is said what was not recorded. */
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
    ['not recorded', notRecorded(run) || null],
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

/** A run that failed recorded nothing, which its status says. */
function notRecorded({ graded, seconds, tokens, calls, cost }: Run): string {
  if (!graded) return ''
  const all = Object.entries({ time: seconds, tokens, 'tool calls': calls, cost })
  return all.flatMap(([name, value]) => (value === null ? name : [])).join(', ')
}
