/** Finds the tasks that recur in sessions, and deals them to training and held-out cases. Pure. */
import type { CasePart } from '../../../../schemas/case_upkeep.ts'
import { sha256 } from '../../../base/json/json.ts'
import { collectWords, stemWords } from '../check/text/word_sets.ts'
import type { SessionTask } from './session_task.ts'

export interface MinedTask {
  /** The most typical first; never empty. */
  sessions: readonly [SessionTask, ...SessionTask[]]
  /** All that comes from these sessions is on this side. */
  split: CasePart
  recurs: boolean
}

export interface MinedTasks {
  /** The most frequent first. Each session is in exactly one. */
  tasks: MinedTask[]
  /** Records that were part of another one. */
  copies: number
}

/** A third for training, as `improve` deals. */
const dealingOrder = ['held_out', 'train', 'held_out'] as const satisfies readonly CasePart[]

export async function findMinedTasks(
  given: readonly SessionTask[],
  { minCount, ...options }: ClusterOptions & { minCount: number },
): Promise<MinedTasks> {
  const { sessions, copies } = mergeCopies(given)
  const groups = await clusterTasks(
    sessions.map(({ messages }) => findTaskWords(messages[0] ?? '')),
    options,
  )
  const found = groups.flatMap((members): Omit<MinedTask, 'split'>[] => {
    const [first, ...rest] = members.flatMap((index) => sessions[index] ?? [])
    return first === undefined ? [] : [{ sessions: [first, ...rest], recurs: members.length >= minCount }]
  })
  return { tasks: [...deal(found.filter((one) => one.recurs)), ...deal(found.filter((one) => !one.recurs))], copies }
}

/** By a hash of the sessions, so that neither the order nor the wording decides. */
function deal(tasks: readonly Omit<MinedTask, 'split'>[]): MinedTask[] {
  const lot = ({ sessions }: Omit<MinedTask, 'split'>) =>
    sha256(
      sessions
        .map(({ id }) => id)
        .sort()
        .join('\0'),
    )
  const order = [...tasks].sort((a, b) => (lot(a) < lot(b) ? -1 : 1))
  return tasks.map((one) => ({ ...one, split: dealingOrder[order.indexOf(one) % dealingOrder.length] ?? 'train' }))
}

/** Each session once, in its longest record, in the given order; how many records were joined into others. */
function mergeCopies(sessions: readonly SessionTask[]): { sessions: SessionTask[]; copies: number } {
  const kept: SessionTask[] = []
  for (const one of sessions) {
    const at = kept.findIndex((other) => isSameSession(one, other))
    const other = kept[at]
    if (other === undefined) kept.push(one)
    else kept[at] = joinRecords(other, one)
  }
  return { sessions: kept, copies: sessions.length - kept.length }
}

function isSameSession(a: SessionTask, b: SessionTask): boolean {
  if (a.agent !== b.agent || a.messages[0] !== b.messages[0]) return false
  return a.id === b.id || (a.startedAt !== null && a.startedAt === b.startedAt)
}

function joinRecords(a: SessionTask, b: SessionTask): SessionTask {
  const [long, short] = b.messages.length > a.messages.length ? [b, a] : [a, b]
  const union = (x: readonly string[], y: readonly string[]) => [...new Set([...x, ...y])]
  return {
    ...long,
    answer: long.answer || short.answer,
    files: union(long.files, short.files),
    written: union(long.written, short.written),
    skills: union(long.skills, short.skills),
  }
}

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

interface ClusterOptions {
  least?: number
  /** Called between steps; may reject to end the work. */
  onStep?: () => Promise<void>
}

const stepSize = 100

/** `tasks`: the words of each. Returns the positions of the tasks in each group, the largest group first; the first of a group is the most typical one. */
async function clusterTasks(tasks: readonly ReadonlySet<string>[], options: ClusterOptions = {}): Promise<number[][]> {
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

/** Word → weight; of length 1, or empty for a text without words. */
type WordVector = ReadonlyMap<string, number>

/** Words of requests that say nothing about the task. */
const polite = new Set(
  "please pls thank thanks could would should shall may might hi hey hello dear just need want like help let me my mine we our us i i'm i've i'd am so if when what how which who where some any all also now then there here give get got make take put go use using into out up about get make sure quick quickly".split(
    ' ',
  ),
)

/** The task is at the beginning, or at the end after something pasted. */
const [mostAtStart, mostAtEnd] = [2000, 600]

/** Words that count for the similarity of two tasks: stems, and the ending of each file in place of its name. */
function findTaskWords(text: string): Set<string> {
  const shown =
    text.length > mostAtStart + mostAtEnd ? `${text.slice(0, mostAtStart)}\n${text.slice(-mostAtEnd)}` : text
  const plain = shown
    .replaceAll(/```[\s\S]*?(?:```|$)/g, ' ')
    .replaceAll(/\[redacted:[^\]]+\]/g, ' ')
    .replaceAll(/\bhttps?:\/\/\S+/g, ' ')
  const endings = new Set<string>()
  const withoutFiles = plain.replaceAll(/[\w./\\~-]*\w\.([a-z][a-z0-9]{0,4})\b/gi, (_, ending: string) => {
    endings.add(ending.toLowerCase())
    return ' '
  })
  const words = [...collectWords(withoutFiles)].filter(
    (word) => !polite.has(word) && !/\d/.test(word) && word.length > 1,
  )
  return new Set([...stemWords(new Set(words)), ...endings])
}

function buildWordVectors(sets: readonly ReadonlySet<string>[]): WordVector[] {
  const counts = new Map<string, number>()
  for (const set of sets) for (const word of set) counts.set(word, (counts.get(word) ?? 0) + 1)
  return sets.map((set) => {
    const weights = [...set].map((word): [string, number] => [
      word,
      Math.log((1 + sets.length) / (1 + (counts.get(word) ?? 0))) + 1,
    ])
    return normalizeVector(new Map(weights))
  })
}

function normalizeVector(vector: WordVector): WordVector {
  const length = Math.sqrt([...vector.values()].reduce((sum, weight) => sum + weight ** 2, 0))
  return length === 0 ? vector : new Map([...vector].map(([word, weight]) => [word, weight / length]))
}

/** Cosine of two vectors of length 1: from 0 to 1; 0 if one is empty. */
function computeVectorCosine(a: WordVector, b: WordVector): number {
  const [small, large] = a.size <= b.size ? [a, b] : [b, a]
  let sum = 0
  for (const [word, weight] of small) sum += weight * (large.get(word) ?? 0)
  return sum
}
