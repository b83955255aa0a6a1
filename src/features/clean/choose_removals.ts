/** Applies the rules of clean to what workspaces keep, and spares what is protected. */
import path from 'node:path'
import type { CleanReport } from '../../../schemas/clean_report.ts'
import { errnoCode, errorMessage, UserError } from '../../base/errors/error.ts'
import { findLeaseHolder } from '../../store/lease/lease.ts'
import type { FoundPlaces, KeptFolder, KeptWorkspace } from './read_workspace.ts'

/** Which folders of a kind; both null: all. */
export interface CleanAge {
  /** Milliseconds since the start. */
  olderThanMs: number | null
  /** So many newest ones of each kind and skill stay, whatever their age. */
  keepLast: number | null
}

export interface CleanRequest {
  /** Workspaces, folders of workspaces, or benchmarks: without filters, a benchmark that is named here is chosen. */
  places: readonly string[]
  /** Remove whole benchmarks and the like; null: none. */
  folders: CleanAge | null
  /** Remove only transcripts and outputs; null: none. */
  transcripts: CleanAge | null
  /** Remove cached runs and judges' answers that were not used for so long (null: any); null: none. */
  cache: Pick<CleanAge, 'olderThanMs'> | null
  /** Remove what processes that are gone left behind. */
  temp: boolean
}

type Rules = Pick<CleanRequest, 'folders' | 'transcripts'> & Pick<FoundPlaces, 'named' | 'whole'>

interface ChosenFolder {
  folder: KeptFolder
  what: 'folder' | 'transcripts'
}

export async function chooseRemovals(
  workspaces: readonly KeptWorkspace[],
  rules: Rules,
  now: Date,
): Promise<{ chosen: ChosenFolder[]; kept: CleanReport['kept'] }> {
  const chosen: ChosenFolder[] = []
  const known = new Set(workspaces.flatMap(({ folders }) => folders.map((one) => one.path)))
  const kept = [...rules.named]
    .filter((place) => !known.has(place))
    .map((place) => ({ path: place, reason: 'not a result of Whetstone: it has no plan.json' }))
  for (const workspace of workspaces) {
    for (const [folder, rank] of rankFolders(workspace.folders)) {
      const what = chooseAction({ folder, rank }, rules, now)
      if (what === null) continue
      const isNamed = rules.folders === null && rules.named.has(folder.path)
      const reason = await whyProtected(folder, what, { workspace, isNamed }).catch(explainFailure)
      if (reason === null) chosen.push({ folder, what })
      else kept.push({ path: folder.path, reason })
    }
  }
  return { chosen, kept }
}

/** Each folder with its place among those of its kind and skill: 0 is the newest. */
function rankFolders(folders: readonly KeptFolder[]): [KeptFolder, number][] {
  const seen = new Map<string, number>()
  const ranked = folders.toReversed().map((one): [KeptFolder, number] => {
    const group = `${one.kind} ${one.skill}`
    const rank = seen.get(group) ?? 0
    seen.set(group, rank + 1)
    return [one, rank]
  })
  return ranked.toReversed()
}

function chooseAction(
  { folder, rank }: { folder: KeptFolder; rank: number },
  { folders, transcripts, named, whole }: Rules,
  now: Date,
): ChosenFolder['what'] | null {
  const fits = (age: CleanAge) => isOld(folder, age.olderThanMs, now) && (age.keepLast === null || rank >= age.keepLast)
  const isNamed = named.has(folder.path)
  if (!isNamed && !whole.has(folder.workspace)) return null
  if (isNamed && folders === null && transcripts === null) return 'folder'
  if (folders !== null && fits(folders)) return 'folder'
  return transcripts !== null && fits(transcripts) && folder.transcriptBytes > 0 ? 'transcripts' : null
}

/** A folder of unknown age is not old. */
function isOld({ startedAt }: KeptFolder, olderThanMs: number | null, now: Date): boolean {
  if (olderThanMs === null) return true
  return startedAt !== null && now.getTime() - startedAt.getTime() > olderThanMs
}

interface Surroundings {
  workspace: KeptWorkspace
  /** By the user, without a filter: it may be the last one. */
  isNamed: boolean
}

/** null: it may be removed. */
async function whyProtected(
  folder: KeptFolder,
  what: ChosenFolder['what'],
  { workspace, isNamed }: Surroundings,
): Promise<string | null> {
  const holder = await findLeaseHolder(folder.path)
  if (holder !== null && holder !== 'gone') return `in progress: process ${holder.pid} on ${holder.host}`
  const needed = whyNeeded(folder, what, workspace)
  if (needed !== null) return needed
  if (what === 'folder' && !isNamed && isLast(folder, workspace.folders)) {
    return 'the last of its kind and skill: name the folder itself to remove it'
  }
  return null
}

/** The newest, and the newest complete one: an interrupted one does not replace it. Archived sessions have none. */
function isLast(folder: KeptFolder, all: readonly KeptFolder[]): boolean {
  if (folder.kind === 'sessions') return false
  const alike = all.filter(({ kind, skill }) => kind === folder.kind && skill === folder.skill)
  return folder === alike.at(-1) || folder === alike.findLast(({ complete }) => complete)
}

/** An open session reads all of its folders; an ended one refers to its benchmarks. */
function whyNeeded(
  { path: place, kind }: KeptFolder,
  what: ChosenFolder['what'],
  workspace: KeptWorkspace,
): string | null {
  const { history } = workspace
  const isSession = kind === 'searches' || kind === 'benchmarks'
  if (history === null || !isSession) return null
  if (history === 'damaged') return "history.json can't be read, so it is not known whether improve needs it"
  const isOpen = history.ended_at === undefined && history.split !== undefined
  if (isOpen && kind === 'searches') return 'an unfinished session of improve needs it'
  if (what === 'transcripts' && !isOpen) return null
  const relative = path.relative(workspace.workspace, place).split(path.sep).join('/')
  const needed = [
    ...(history.rounds ?? []).flatMap(({ benchmarks: { shown, mixes } }) => [...shown, ...(mixes ? [mixes] : [])]),
    ...(history.certification ? [history.certification.benchmark] : []),
    ...(history.confirmations ?? []).map(({ benchmark }) => benchmark),
  ]
  return needed.includes(relative) ? `history.json refers to it (current best: ${history.current_best})` : null
}

/** Why a folder stays that the file system or the user's mistake protects. Throws a bug again. */
export function explainFailure(error: unknown): string {
  if (errnoCode(error) === null && !(error instanceof UserError)) throw error
  return `it can't be removed: ${errorMessage(error)}`
}
