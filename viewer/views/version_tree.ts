/** Versions below those that they were made of: each once, whatever a history says of parents. */
import type { Iteration } from '../../schemas/history.ts'

export interface Node {
  one: Iteration
  below: Node[]
}

/** Deeper ones stand beside each other: a chain of very many would not fit on a screen, or into the browser's stack. */
const deepest = 24

/** A version comes after what it was made of; one that names a later version, itself or nothing that is there is a root. */
export function treeOf(iterations: readonly Iteration[]): Node[] {
  const roots: Node[] = []
  const places = new Map<string, { node: Node; siblings: Node[]; depth: number }>()
  for (const one of iterations) {
    const node: Node = { one, below: [] }
    const above = one.parent === null ? undefined : places.get(one.parent)
    const isDeep = above !== undefined && above.depth >= deepest
    const siblings = above === undefined ? roots : isDeep ? above.siblings : above.node.below
    siblings.push(node)
    const depth = above === undefined ? 0 : isDeep ? above.depth : above.depth + 1
    if (!places.has(one.version)) places.set(one.version, { node, siblings, depth })
  }
  return roots
}
