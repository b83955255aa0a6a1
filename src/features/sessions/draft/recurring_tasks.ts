/** Finds the tasks that recur in recorded sessions, and deals them to training and held-out cases. Pure. */
import type { CasePart } from '../../../../schemas/case_upkeep.ts'
import { countEach } from '../../../base/totals.ts'
import { collectWords, stemWords } from '../../../phases/1-plan/check/text/word_sets.ts'

/** The person's messages of a recorded session and what became of them. Texts are already redacted. */
export interface SessionTask {
  /** The session's own id, or the name of its file. */
  id: string
  /** Such as claude-code. */
  agent: string
  /** ISO 8601; null: not recorded. */
  startedAt: string | null
  /** The person's messages in order; the first one is the task. Never empty. */
  messages: readonly string[]
  /** The agent's last answer; empty: none. */
  answer: string
  /** Files that the person names or the agent reads, without those that the session creates; relative to the working folder. */
  files: readonly string[]
  /** Files that the agent creates or changes. */
  written: readonly string[]
  /** Names of the skills that the agent read. */
  skills: readonly string[]
}

export interface RecurringTask {
  /** The most typical first; never empty. */
  sessions: readonly [SessionTask, ...SessionTask[]]
  /** All that comes from these sessions is on this side. */
  split: CasePart
  /** Whether there are two sessions or more. */
  recurs: boolean
}

export interface RecurringTasks {
  /** The most frequent first. Each session is in exactly one. */
  tasks: RecurringTask[]
  /** Records that were part of another one. */
  copies: number
}

/** A third for training, as `improve` deals. */
const dealingOrder = ['held_out', 'train', 'held_out'] as const satisfies readonly CasePart[]

/** Two groups whose means have at least this cosine are one task. Chosen on the tuning half of the generator in test/flows/init. */
const leastTaskSimilarity = 0.28

interface FindOptions {
  least?: number
  /** Called again and again; may reject to end the work. */
  onStep?: () => Promise<void>
}

export async function findRecurringTasks(
  given: readonly SessionTask[],
  { least = leastTaskSimilarity, onStep = async () => {} }: FindOptions = {},
): Promise<RecurringTasks> {
  const sessions = leaveOutCopies(given)
  const vectors = buildWordVectors(sessions.map(({ messages }) => findTaskWords(messages[0] ?? '')))
  const groups = await groupVectors(vectors, least, onStep)
  const tasks = groups.flatMap(({ members, mean }, index): RecurringTask[] => {
    const rate = (at: number) => computeVectorCosine(vectors[at] ?? new Map(), mean)
    const [first, ...rest] = members.toSorted((a, b) => rate(b) - rate(a) || a - b).flatMap((at) => sessions[at] ?? [])
    const split = dealingOrder[index % dealingOrder.length] ?? 'train'
    return first === undefined ? [] : [{ sessions: [first, ...rest], split, recurs: rest.length > 0 }]
  })
  return { tasks, copies: given.length - sessions.length }
}

/** Each session once, in its longest record. */
function leaveOutCopies(sessions: readonly SessionTask[]): SessionTask[] {
  const kept = new Map<string, SessionTask>()
  for (const one of sessions) {
    const key = JSON.stringify([one.agent, one.messages[0], one.startedAt ?? one.id])
    const other = kept.get(key)
    if (other === undefined || one.messages.length > other.messages.length) kept.set(key, one)
  }
  return [...kept.values()]
}

interface Group {
  /** Positions of the vectors. */
  members: number[]
  /** Sum of the vectors of the members. */
  sum: Map<string, number>
  mean: WordVector
}

/** Joins what is surely the same first, and more in each round. */
const rounds = [0.6, 0.45, 0.35, 0, 0] as const

/** Joins each vector to the nearest group, then groups to each other. The largest group first. */
async function groupVectors(
  vectors: readonly WordVector[],
  least: number,
  onStep: () => Promise<void>,
): Promise<Group[]> {
  let waiting = vectors.map((mean, index): Group => ({ members: [index], sum: new Map(mean), mean }))
  for (const bar of rounds) {
    const groups: Group[] = []
    for (const one of waiting) {
      await onStep()
      const near = findNearest(groups, one.mean, Math.max(bar, least))
      if (near === null) groups.push(one)
      else absorb(near, one)
    }
    waiting = groups.sort((a, b) => b.members.length - a.members.length)
  }
  return waiting
}

/** null: no group is near enough. */
function findNearest(groups: readonly Group[], mean: WordVector, least: number): Group | null {
  let [best, most] = [null as Group | null, least]
  for (const group of groups) {
    const similarity = computeVectorCosine(mean, group.mean)
    if (similarity >= most) [best, most] = [group, similarity]
  }
  return best
}

function absorb(group: Group, { members, sum }: Group): void {
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
  const counts = countEach(sets.flatMap((set) => [...set]))
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
