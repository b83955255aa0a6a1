/** The improve loop: versions as a tree, each with its score, whether it was kept, and why. */
import type { Model } from '../data/model.ts'
import { Tree } from '../parts/json_tree.tsx'
import { percent } from '../words.ts'

interface Version {
  version: string
  parent: string | null
  expectation_pass_rate: number
  grading_result: string
  is_current_best: boolean
}

export function hasHistory({ page }: Model): boolean {
  return page.extras.history !== undefined
}

export function Improve({ model }: { model: Model }) {
  const { history } = model.page.extras
  const versions = versionsOf(history)
  return (
    <>
      <header class="lead">
        <h1>Versions</h1>
      </header>
      <ol class="versions">
        {versions.map((one) => (
          <li key={one.version} style={{ marginLeft: `${1.5 * Math.min(8, depthOf(one, versions))}rem` }}>
            <strong>
              <bdi>{one.version}</bdi>
            </strong>{' '}
            {percent(one.expectation_pass_rate)} <em class="tag">{one.grading_result}</em>{' '}
            {one.is_current_best && <span class="chip pass">best</span>}
          </li>
        ))}
      </ol>
      <Tree value={history} />
    </>
  )
}

function depthOf(one: Version, all: readonly Version[]): number {
  let depth = 0
  for (let at: Version | undefined = one; at !== undefined && at.parent !== null && depth < all.length; depth += 1) {
    const { parent }: Version = at
    at = all.find(({ version }) => version === parent)
  }
  return depth
}

function versionsOf(history: unknown): Version[] {
  if (typeof history !== 'object' || history === null || !('iterations' in history)) return []
  return Array.isArray(history.iterations) ? history.iterations.filter(isVersion) : []
}

function isVersion(value: unknown): value is Version {
  return (
    typeof value === 'object' &&
    value !== null &&
    'version' in value &&
    typeof value.version === 'string' &&
    'expectation_pass_rate' in value &&
    typeof value.expectation_pass_rate === 'number'
  )
}
