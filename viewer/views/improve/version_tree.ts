/** Builds the tree of versions below their parents: each version once, whatever parents a history states. */
import type { Iteration } from '../../../schemas/history.ts'

export interface VersionNode {
  one: Iteration
  below: VersionNode[]
}

/** Deeper versions become siblings: a very long chain would not fit on a screen, or into the browser's stack. */
const deepest = 24

/** A version is below its parent; it is a root if that is a later version, itself or missing. */
export function buildVersionTree(iterations: readonly Iteration[]): VersionNode[] {
  const roots: VersionNode[] = []
  const places = new Map<string, { node: VersionNode; siblings: VersionNode[]; depth: number }>()
  for (const one of iterations) {
    const node: VersionNode = { one, below: [] }
    const above = one.parent === null ? undefined : places.get(one.parent)
    const isDeep = above !== undefined && above.depth >= deepest
    const siblings = above === undefined ? roots : isDeep ? above.siblings : above.node.below
    siblings.push(node)
    const depth = above === undefined ? 0 : isDeep ? above.depth : above.depth + 1
    if (!places.has(one.version)) places.set(one.version, { node, siblings, depth })
  }
  return roots
}
