/** Groups tasks that say the same in other words. Pure; the same tasks in the same order give the same groups. */
import { buildWordVectors, computeVectorCosine, normalizeVector, type WordVector } from './word_vectors.ts'

/** Two groups whose means have at least this cosine are one task. Chosen on the tuning half of the generator in test/flows/mine. */
const leastTaskSimilarity = 0.28

/** Tasks that are surely the same, such as one request twice with another file. */
const surelySame = 0.6

interface Group {
  members: number[]
  /** Sum of the vectors of the members. */
  sum: Map<string, number>
  /** The same with length 1. */
  mean: WordVector
}

export interface ClusterOptions {
  least?: number
  /** Called between steps; may reject to end the work. */
  onStep?: () => Promise<void>
}

const stepSize = 100

/** `tasks`: the words of each. Returns the positions of the tasks in each group, the largest group first; the first of a group is the most typical one. */
export async function clusterTasks(
  tasks: readonly ReadonlySet<string>[],
  options: ClusterOptions = {},
): Promise<number[][]> {
  const { least = leastTaskSimilarity, onStep = async () => {} } = options
  const vectors = buildWordVectors(tasks)
  const groups: Group[] = []
  for (const [index, vector] of vectors.entries()) {
    if (index % stepSize === 0) await onStep()
    const near = findNearest(groups, vector)
    if (near !== null && near.similarity >= surelySame) absorb(near.group, { members: [index], sum: vector })
    else groups.push({ members: [index], sum: new Map(vector), mean: vector })
  }
  const merged = await mergeNearest(groups, least, onStep)
  return merged
    .map(({ members, mean }) => {
      const rate = (index: number) => computeVectorCosine(vectors[index] ?? new Map(), mean)
      return members.toSorted((a, b) => rate(b) - rate(a) || a - b)
    })
    .sort((a, b) => b.length - a.length || Math.min(...a) - Math.min(...b))
}

interface Near {
  group: Group
  similarity: number
}

/** null: there is no group with a word in common. */
function findNearest(groups: Iterable<Group>, mean: WordVector, except?: Group): Near | null {
  let best: Near | null = null
  for (const group of groups) {
    if (group === except) continue
    const similarity = computeVectorCosine(mean, group.mean)
    if (similarity > (best?.similarity ?? 0)) best = { group, similarity }
  }
  return best
}

/** Joins the two nearest groups of all, again and again, until none are near enough. */
async function mergeNearest(given: readonly Group[], least: number, onStep: () => Promise<void>): Promise<Group[]> {
  const groups = new Set(given)
  const nearest = new Map<Group, Near | null>()
  for (const [index, group] of given.entries()) {
    if (index % stepSize === 0) await onStep()
    nearest.set(group, findNearest(groups, group.mean, group))
  }
  for (;;) {
    let best: { from: Group; near: Near } | null = null
    for (const [from, near] of nearest)
      if (near !== null && near.similarity > (best?.near.similarity ?? 0)) best = { from, near }
    if (best === null || best.near.similarity < least) return [...groups]
    await onStep()
    const { from, near } = best
    absorb(near.group, from)
    groups.delete(from)
    nearest.delete(from)
    for (const [group, known] of nearest) {
      const isStale = group === near.group || known?.group === from || known?.group === near.group
      if (isStale) nearest.set(group, findNearest(groups, group.mean, group))
      else {
        const similarity = computeVectorCosine(group.mean, near.group.mean)
        if (similarity > (known?.similarity ?? 0)) nearest.set(group, { group: near.group, similarity })
      }
    }
  }
}

function absorb(group: Group, { members, sum }: { members: readonly number[]; sum: WordVector }): void {
  group.members.push(...members)
  for (const [word, weight] of sum) group.sum.set(word, (group.sum.get(word) ?? 0) + weight)
  group.mean = normalizeVector(group.sum)
}
