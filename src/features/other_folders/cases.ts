/** Groups runs into cases, counts copies once, and numbers cases and runs. */
import path from 'node:path'
import { plainName } from '../../../schemas/arm_names.ts'
import { canonicalJson } from '../../base/json/json.ts'
import { toGroups } from '../../base/totals.ts'
import { pickText } from './pick_values.ts'
import type { RunFound, TreeProblem } from './tree.ts'

export interface CaseFound {
  eval_id: number
  /** The source's own id when it was not an integer, or the folder when the id was not unique; else null. */
  eval_key: string | null
  eval_name: string
  prompt: string
  runs: NumberedRun[]
}

type NumberedRun = RunFound & { configuration: string; run_number: number }

/** `copies`: number of repeated gradings. */
export interface CasesFound {
  cases: CaseFound[]
  copies: number
  problems: TreeProblem[]
}

interface Group {
  name: string
  runs: RunFound[]
  known: Identity
}

/** The facts about a case by source; null: not stated. */
interface Identity {
  /** From the metadata. */
  id: number | string | null
  prompt: string | null
  name: string | null
  gradingId: number | string | null
  gradingName: string | null
  folderId: number | null
}

const unnamedCase = 'unnamed'

export function groupCases(found: readonly RunFound[], rootName: string): CasesFound {
  const problems: TreeProblem[] = []
  const groups = mergeGroups(groupRuns(found))
  const kept = groups.map((group) => ({ ...group, runs: withoutCopies(group.runs, problems) }))
  const all = groups.reduce((sum, group) => sum + group.runs.length, 0)
  const copies = all - kept.reduce((sum, group) => sum + group.runs.length, 0)
  return { cases: numberCases(kept, rootName), copies: copies - problems.length, problems }
}

function groupRuns(found: readonly RunFound[]): Group[] {
  return [...toGroups(found, (run) => run.case)]
    .map(([name, runs]) => ({ name, runs, known: identity(name, runs) }))
    .sort((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }))
}

/**
 * Joins two folders of the same case; the one with run folders comes first, as the fuller layout. Two of one
 * layout with different verdicts are further runs of the case.
 */
function mergeGroups(groups: readonly Group[]): Group[] {
  const byLayout = [...groups].sort((a, b) => Number(hasRunFolders(b)) - Number(hasRunFolders(a)))
  const out: Group[] = []
  // Only folders with the same id or the same first verdicts are compared: no others can be the same case.
  const alike = new Map<string, Group[]>()
  for (const group of byLayout) {
    const same = likenesses(group)
      .flatMap((likeness) => alike.get(likeness) ?? [])
      .find((other) => isSameCase(other, group))
    if (same === undefined) {
      const own = { ...group, runs: [...group.runs] }
      out.push(own)
      for (const likeness of [idLikeness(own), ...own.runs.map(signature)]) {
        if (likeness !== null) alike.set(likeness, [...(alike.get(likeness) ?? []), own])
      }
    } else if (hasRunFolders(same) !== hasRunFolders(group) || isCopy(same, group)) same.runs.push(...group.runs)
    else same.runs.push(...group.runs.map((run) => ({ ...run, run: `${group.name}/${run.run ?? ''}` })))
  }
  return out
}

function likenesses(group: Group): string[] {
  const [first] = group.runs
  return [idLikeness(group), first === undefined ? null : signature(first)].filter((likeness) => likeness !== null)
}

function idLikeness({ known }: Group): string | null {
  return known.id === null ? null : `id ${known.id}`
}

function hasRunFolders(group: Group): boolean {
  return group.runs.some((run) => run.run !== null)
}

/** The same id and the same prompt or name; else a copy with the same id, name, folder name, times or tokens. */
function isSameCase(a: Group, b: Group): boolean {
  const [one, two] = [a.known, b.known]
  if (one.id !== null && two.id !== null) {
    if (one.id !== two.id) return false
    if (one.prompt !== null && two.prompt !== null) return one.prompt === two.prompt
    if (one.name !== null && two.name !== null) return one.name === two.name
  }
  if (areToldApart(one, two) || !isCopy(a, b)) return false
  const isNamedAlike = path.posix.basename(a.name) === path.posix.basename(b.name)
  return isNamedAlike || isKnownAlike(one, two) || [a, b].every(({ runs }) => runs.some(isMeasured))
}

/** Whether they share an id, a name or a prompt. */
function isKnownAlike(one: Identity, two: Identity): boolean {
  const share = <T>(mine: readonly T[], others: readonly T[]) => mine.some((each) => others.includes(each))
  const isSamePrompt = one.prompt !== null && one.prompt === two.prompt
  return isSamePrompt || share(knownIds(one), knownIds(two)) || share(knownNames(one), knownNames(two))
}

/** Whether the same run elsewhere would be known by what it took. */
function isMeasured({ result }: RunFound): boolean {
  return (result?.timing?.total_tokens ?? result?.timing?.total_duration_seconds) !== undefined
}

/**
 * Whether an id, a name or a prompt that both have differs, whatever its source. When the metadata have one id, folder
 * numbers are ignored, because one may count from 0.
 */
function areToldApart(one: Identity, two: Identity): boolean {
  const haveOneId = one.id !== null && one.id === two.id
  const pairs = [
    [one.id, two.id],
    [one.gradingId, two.gradingId],
    haveOneId ? [] : [one.folderId, two.folderId],
    [one.name, two.name],
    [one.gradingName, two.gradingName],
    [one.prompt, two.prompt],
  ]
  const differs = pairs.some(([mine = null, other = null]) => mine !== null && other !== null && mine !== other)
  return differs || shareNone(knownIds(one), knownIds(two)) || shareNone(knownNames(one), knownNames(two))
}

function shareNone<T>(mine: readonly T[], others: readonly T[]): boolean {
  return mine.length > 0 && others.length > 0 && !mine.some((each) => others.includes(each))
}

function knownIds({ id, gradingId, folderId }: Identity) {
  return [id, gradingId, folderId].filter((each) => each !== null)
}

function knownNames({ name, gradingName }: Identity): string[] {
  return [name, gradingName].flatMap((each) => (each === null ? [] : plainName(each)))
}

/** Whether each run of b is also in a: the same verdicts with the same evidence, and no different time or tokens. */
function isCopy(a: Group, b: Group): boolean {
  const verdicts = toGroups(a.runs, signature)
  return b.runs.every((run) => {
    const own = signature(run)
    return own !== null && verdicts.get(own)?.some((other) => tookTheSame(run, other)) === true
  })
}

/** Times may be rounded to seconds; a value that only one has is ignored. */
function tookTheSame({ result: one }: RunFound, { result: two }: RunFound): boolean {
  const [tokens, others] = [one?.timing?.total_tokens, two?.timing?.total_tokens]
  const [seconds, otherSeconds] = [one?.timing?.total_duration_seconds, two?.timing?.total_duration_seconds]
  if (tokens !== undefined && others !== undefined && tokens !== others) return false
  return seconds === undefined || otherSeconds === undefined || Math.abs(seconds - otherSeconds) <= 0.5
}

function identity(folder: string, runs: readonly RunFound[]): Identity {
  const metadata = runs.find((run) => run.metadata !== null)?.metadata ?? null
  return {
    id: parseCaseId(metadata?.eval_id ?? metadata?.id),
    prompt: pickText(metadata, ['prompt', 'input', 'query', 'task']),
    name: pickText(metadata, ['eval_name', 'name']),
    gradingId: parseCaseId(runs.find((run) => (run.fields.eval_id ?? null) !== null)?.fields.eval_id),
    gradingName: pickText(runs.find((run) => pickText(run.fields, ['eval_name']) !== null)?.fields ?? null, [
      'eval_name',
    ]),
    folderId: idOfFolder(folder),
  }
}

/** A text of digits is that number. null: no id. */
function parseCaseId(stated: unknown): number | string | null {
  if (typeof stated === 'string' && /^\d{1,9}$/.test(stated)) return Number(stated)
  return typeof stated === 'number' || typeof stated === 'string' ? stated : null
}

function idOfFolder(folder: string): number | null {
  const digits = /^eval[-_](\d+)(?:\D|$)/.exec(path.posix.basename(folder))?.[1]
  return digits === undefined ? null : Number(digits)
}

/** Key that copies of a grading share; null: nothing in it is specific. */
function signature({ configuration, result }: RunFound): string | null {
  const list = result?.grading?.expectations ?? []
  if (list.every(({ evidence }) => evidence === '')) return null
  return canonicalJson([configuration, list.map(({ text, passed, evidence }) => [text, passed, evidence])])
}

/** One run for each configuration and run folder: the fuller layout first, then the shortest path. */
function withoutCopies(runs: readonly RunFound[], problems: TreeProblem[]): RunFound[] {
  const kept = new Map<string, RunFound>()
  const fullest = [...runs].sort(
    (a, b) =>
      Number(b.result !== null) - Number(a.result !== null) ||
      Number(b.run !== null) - Number(a.run !== null) ||
      a.repeats - b.repeats ||
      a.folder.length - b.folder.length,
  )
  for (const run of fullest) {
    const place = `${run.configuration}\n${run.run ?? 1}`
    const other = kept.get(place)
    if (other === undefined) kept.set(place, run)
    else if (run.result !== null && verdictKey(run) !== verdictKey(other)) {
      problems.push({
        file: run.folder,
        message: `the same run is in ${other.folder} with other verdicts; those are used`,
      })
    }
  }
  return [...kept.values()]
}

function verdictKey(run: RunFound): string {
  return canonicalJson((run.result?.grading?.expectations ?? []).map(({ text, passed }) => [text, passed]))
}

function numberCases(groups: readonly Group[], rootName: string): CaseFound[] {
  const taken = new Set<number>()
  const named = groups.map((group) => ({ ...describeCase(group, rootName), runs: group.runs }))
  const first = named.map((one) => {
    if (one.id === null || taken.has(one.id)) return null
    taken.add(one.id)
    return one.id
  })
  return named.map((one, index) => {
    const id = first[index] ?? nextFree(taken)
    const key = one.id !== null && one.id !== id ? one.folder : one.key
    return { eval_id: id, eval_key: key, eval_name: one.name, prompt: one.prompt, runs: runNumbers(one.runs) }
  })
}

function nextFree(taken: Set<number>): number {
  let id = 1
  while (taken.has(id)) id += 1
  taken.add(id)
  return id
}

/** The id from the metadata, else from the grading, else from a folder `eval-<n>`; a text becomes the key. */
function describeCase({ name: folder, runs }: Group, rootName: string) {
  const { id, prompt, name, gradingId, gradingName, folderId } = identity(folder, runs)
  const last = path.posix.basename(folder)
  const stated = id ?? gradingId ?? folderId
  return {
    folder,
    id: typeof stated === 'number' && Number.isSafeInteger(stated) && stated >= 0 ? stated : null,
    key: typeof stated === 'string' ? stated : null,
    name: name ?? gradingName ?? (last.replace(/^eval[-_]\d+[-_]?/, '') || last || rootName),
    prompt: prompt ?? '',
  }
}

/** The number of the run's folder; without one, or when it is taken, the next free number. */
function runNumbers(runs: readonly RunFound[]): NumberedRun[] {
  const taken = new Map<string, Set<number>>()
  const byName = [...runs].sort((a, b) => a.folder.localeCompare(b.folder, 'en', { numeric: true }))
  const inOrder = [...byName.filter(hasNumber), ...byName.filter((run) => !hasNumber(run))]
  return inOrder.map((run) => {
    const configuration = run.configuration ?? unnamedCase
    const used = taken.get(configuration) ?? new Set<number>()
    taken.set(configuration, used)
    const own = typeof run.run === 'number' && run.run > 0 && !used.has(run.run) ? run.run : null
    if (own !== null) used.add(own)
    return { ...run, configuration, run_number: own ?? nextFree(used) }
  })
}

function hasNumber(run: RunFound): boolean {
  return typeof run.run === 'number'
}
