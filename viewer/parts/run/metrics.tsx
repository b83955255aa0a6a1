/** The numbers of a run in one line; in a graded run also those that were not recorded. */
import type { Run } from '../../data/model.ts'
import { displayCount, displayDollars, displaySeconds } from '../../format.ts'

export function RunMetrics({ run }: { run: Run }) {
  // the status of a failed run says that it recorded nothing
  const unknown = run.graded ? 'not recorded' : null
  const facts: [string, string | null][] = [
    ['time', run.seconds === null ? unknown : displaySeconds(run.seconds)],
    ['tokens', run.tokens === null ? unknown : displayCount(run.tokens)],
    ['tool calls', run.calls === null ? unknown : displayCount(run.calls)],
    ['cost', run.cost === null ? unknown : displayDollars(run.cost)],
    ['skill', run.read === null ? null : run.read ? 'read' : 'not read'],
    ['errors', run.errors === 0 ? null : displayCount(run.errors)],
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
