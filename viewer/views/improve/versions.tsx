/** Versions below their parents, for a history without rounds: its first round is not over, or another tool wrote it. */
import type { Iteration } from '../../../schemas/history.ts'
import { displayPercent } from '../../format.ts'
import { Share } from '../../parts/charts/rate_chart.tsx'
import { buildVersionTree, type VersionNode } from './version_tree.ts'

export function Versions({ iterations }: { iterations: readonly Iteration[] }) {
  if (iterations.length === 0) return null
  return (
    <section aria-labelledby="versions">
      <h2 id="versions">
        Versions <small>{iterations.length}</small>
      </h2>
      <Branch nodes={buildVersionTree(iterations)} />
      <p class="hint">Chart: pass rate, 0 to 100%</p>
    </section>
  )
}

function Branch({ nodes }: { nodes: readonly VersionNode[] }) {
  return (
    <ul class="versions">
      {nodes.map(({ one, below }, place) => (
        <li key={`${place}`}>
          <Version one={one} />
          {below.length > 0 && <Branch nodes={below} />}
        </li>
      ))}
    </ul>
  )
}

const colours = { baseline: '', won: 'pass', lost: 'fail', tie: 'inconclusive' } as const

function Version({ one }: { one: Iteration }) {
  const { version, grading_result: result, is_current_best } = one
  const rate = one.expectation_pass_rate ?? one.training_pass_rate ?? null
  const cases = one.expectation_pass_rate === null ? ' on the training cases (estimate)' : ''
  return (
    <article class="version">
      <p>
        <strong class="name">
          <bdi>{version}</bdi>
        </strong>{' '}
        <span class={`chip ${colours[result]}`}>{result}</span> {is_current_best && <span class="chip pass">best</span>}{' '}
        {rate !== null && (
          <span>
            pass rate {displayPercent(rate)}
            {cases}
          </span>
        )}
      </p>
      {rate !== null && <Share value={rate} low={null} high={null} />}
    </article>
  )
}
