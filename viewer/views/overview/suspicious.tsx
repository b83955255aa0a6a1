/** Next to the verdict: runs with text that seems to instruct the judge, with links. */
import type { Model } from '../../data/model.ts'
import { displayArm, displayCount } from '../../format.ts'
import { routeLink } from '../../route.ts'
import { runAddress } from '../run/run_row.tsx'

const mostLinks = 6

export function SuspiciousNotice({ model }: { model: Model }) {
  const { said } = model.page
  if (said.suspicious === null) return null
  const found = model.runs.suspicious.flatMap((one, index) => (one === 1 ? [index] : []))
  const runs = found.slice(0, mostLinks).map((index) => model.run(index))
  return (
    <section class="banner" aria-label="Suspicious">
      <p>
        <strong>{said.suspicious}</strong>
      </p>
      <p class="chips">
        {runs.map((run) => (
          <a key={run.index} class="chip plain" href={runAddress(run)}>
            case {run.case.eval_id}, {displayArm(run.arm)} {run.number}
          </a>
        ))}
        {found.length > runs.length && (
          <a class="chip plain" href={routeLink(['runs'], { q: 'is:suspicious' })}>
            all {displayCount(found.length)}
          </a>
        )}
      </p>
    </section>
  )
}
