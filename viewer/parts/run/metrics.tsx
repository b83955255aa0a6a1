/** The numbers of a run in one line; a graded run also lists what was not recorded. */
import type { Run } from '../../data/model.ts'
import { displayCount, displayDollars, displayPlural, displaySeconds } from '../../format.ts'

export function RunMetrics({ run }: { run: Run }) {
  const facts: [string, string | null][] = [
    ['time', run.seconds === null ? null : displaySeconds(run.seconds)],
    ['tokens', run.tokens === null ? null : displayCount(run.tokens)],
    ['tool calls', run.calls === null ? null : displayCount(run.calls)],
    ['cost', run.cost === null ? null : displayDollars(run.cost)],
    ['skill', run.read === null ? null : run.read ? 'read' : 'not read'],
    ['errors', run.errors === 0 ? null : displayPlural(run.errors, 'error')],
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

/** Empty for a failed run, whose status says that it recorded nothing. */
function notRecorded({ graded, seconds, tokens, calls, cost }: Run): string {
  if (!graded) return ''
  const all = Object.entries({ time: seconds, tokens, 'tool calls': calls, cost })
  return all.flatMap(([name, value]) => (value === null ? name : [])).join(', ')
}
