/** clean: shows what workspaces keep, and removes what the user's rules choose. Removes nothing by itself. */
import { existsSync, mkdirSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import path from 'node:path'
import type { CacheEntry } from '../../../schemas/cache.ts'
import { type CleanReport, cleanReport, type Removal } from '../../../schemas/clean_report.ts'
import { attempt } from '../../base/errors/attempt.ts'
import { UserError } from '../../base/errors/error.ts'
import { readOwnerState, tempSiblingName } from '../../base/fs/durable_files.ts'
import { isPlainFolder } from '../../base/fs/inside_folder.ts'
import { readRegularFile } from '../../base/fs/special_files.ts'
import { findStaleTempDirs, reapTempDirs, removeTree } from '../../base/fs/temp_dir.ts'
import { readNames, sumTreeBytes, tryReadInfo } from '../../base/fs/tree_size.ts'
import { aggregateAgain } from '../../flows/aggregate/aggregate.ts'
import type { FlowContext } from '../../flows/flow_context.ts'
import { removeRunParts } from '../../store/artefacts/removed_parts.ts'
import {
  type Cache,
  cachePaths,
  clearTemporary,
  entryPaths,
  readBody,
  removeWhole,
  temporaryName,
} from '../../store/cache/cache.ts'
import { unpackEntry } from '../../store/cache/cache_pack.ts'
import { takeLease } from '../../store/lease/lease.ts'
import { benchmarkPaths } from '../../store/paths.ts'
import { type CleanRequest, chooseRemovals, explainFailure } from './choose_removals.ts'
import {
  findWorkspaces,
  type KeptFolder,
  type KeptWorkspace,
  listPages,
  listRunFolders,
  readWorkspace,
} from './read_workspace.ts'

interface ChosenRemoval {
  removal: Removal
  /** null: removed; a text: why it was kept after all. */
  perform(): Promise<string | null>
}

export interface CleanPlan {
  /** With dry_run. */
  report: CleanReport
  /** Removes what the report lists; returns what was removed. */
  perform(): Promise<CleanReport>
}

/** Reads only. Throws UserError for a place without a workspace. */
export async function planClean(request: CleanRequest, context: FlowContext): Promise<CleanPlan> {
  const found = findWorkspaces(request.places)
  const workspaces = await Promise.all(found.workspaces.map((workspace) => readWorkspace(workspace)))
  const { chosen, kept } = await chooseRemovals(workspaces, { ...request, ...found }, context.now())
  const cached = request.cache === null ? [] : workspaces
  for (const { workspace } of cached.filter(hasLinkedCache)) {
    kept.push({ path: cachePaths(workspace).folder, reason: 'links are not followed: remove the cache where it leads' })
  }
  const all: ChosenRemoval[] = [
    ...chosen.map((one) => toRemoval(one.folder, one.what, context)),
    ...cached.filter((one) => !hasLinkedCache(one)).flatMap((one) => cacheRemovals(one, request.cache, context.now())),
    ...(request.temp ? await leftoverRemovals(workspaces) : []),
  ]
  const base = { schema_version: 1, workspaces: workspaces.map(({ workspace, kinds }) => ({ workspace, kinds })) }
  const toReport = (dry_run: boolean, removals: Removal[], spared: CleanReport['kept']) => {
    const bytes = removals.reduce((sum, one) => sum + one.bytes, 0)
    return cleanReport.parse({ ...base, dry_run, removals, kept: spared, bytes })
  }
  return {
    report: toReport(
      true,
      all.map(({ removal }) => removal),
      kept,
    ),
    async perform() {
      const [done, spared]: [Removal[], CleanReport['kept']] = [[], [...kept]]
      for (const { removal, perform } of all) {
        context.signal.throwIfAborted()
        const reason = await perform().catch(explainFailure)
        if (reason === null) done.push(removal)
        else spared.push({ path: removal.path, reason })
      }
      return toReport(false, done, spared)
    },
  }
}

function toRemoval(folder: KeptFolder, what: 'folder' | 'transcripts', context: FlowContext): ChosenRemoval {
  const { path: place, kind, bytes, transcriptBytes } = folder
  const isWhole = what === 'folder'
  return {
    removal: { path: place, kind, what, bytes: isWhole ? bytes : transcriptBytes },
    perform: () => (isWhole ? removeFolder(folder, context) : removeTranscripts(folder, context)),
  }
}

function cacheRemovals({ workspace }: KeptWorkspace, age: CleanRequest['cache'], now: Date): ChosenRemoval[] {
  const cache = cachePaths(workspace)
  const limit = age?.olderThanMs ?? null
  const isOld = ({ usedAt }: CacheItem) => limit === null || now.getTime() - usedAt.getTime() > limit
  const old = [...listCacheItems(cache)].filter((one) => one.isDamaged || isOld(one))
  if (old.length === 0) return []
  const bytes = old.reduce((sum, one) => sum + one.bytes, 0)
  return [
    {
      removal: { path: cache.folder, kind: 'cache', what: 'cache', bytes },
      async perform() {
        for (const item of old) await removeItem(cache, item)
        await clearTemporary(cache)
        return null
      },
    },
  ]
}

function hasLinkedCache({ workspace }: KeptWorkspace): boolean {
  return Object.values(cachePaths(workspace)).some((place) => tryReadInfo(place)?.isSymbolicLink())
}

/** What processes that are gone left behind: parts of workspaces on their way in or out, and temporary folders of the system. */
async function leftoverRemovals(workspaces: readonly KeptWorkspace[]): Promise<ChosenRemoval[]> {
  const found: ChosenRemoval[] = []
  const add = (place: string, perform: ChosenRemoval['perform']) =>
    found.push({ removal: { path: place, kind: 'leftovers', what: 'leftover', bytes: sumTreeBytes(place) }, perform })
  for (const { folders, workspace } of workspaces) {
    for (const folder of new Set([workspace, ...folders.map((one) => path.dirname(one.path))])) {
      for (const name of readNames(folder)) {
        const place = path.join(folder, name)
        if ((await readOwnerState(name)) === 'gone') add(place, () => removeTree(place).then(() => null))
      }
    }
  }
  for (const { folder } of await findStaleTempDirs()) {
    add(folder, async () => {
      let left: string | null = null
      await reapTempDirs((one) => {
        left = `it can't be removed: ${one}`
      })
      return left
    })
  }
  return found
}

/** null: removed; a text: why it was kept. It first gets a hidden name, so that no reader finds a part of it. */
async function removeFolder(folder: KeptFolder, context: FlowContext): Promise<string | null> {
  return await withFolder(folder, context, async () => {
    const aside = tempSiblingName(folder.path)
    await rename(folder.path, aside)
    await removeTree(aside)
    return existsSync(aside) ? `it can't be removed: ${aside}` : null
  })
}

/** As removeFolder. Pages and unfinished runs go first, and the page is written again at the end. */
async function removeTranscripts(folder: KeptFolder, context: FlowContext): Promise<string | null> {
  const { partial, benchmark } = benchmarkPaths(folder.path)
  const reason = await withFolder(folder, context, async () => {
    for (const place of [...listPages(folder.path), partial]) await rm(place, { recursive: true, force: true })
    for (const run of listRunFolders(folder.path)) await removeRunParts(run, 'clean', context.now())
    return null
  })
  if (reason === null && existsSync(benchmark)) await writePageAgain(folder.path, context)
  return reason
}

async function withFolder(
  { path: place, workspace }: KeptFolder,
  { signal }: FlowContext,
  work: () => Promise<string | null>,
): Promise<string | null> {
  if (!isPlainFolder(workspace, place)) return 'it is no longer a folder of the workspace'
  const lease = await takeLease(place, { signal })
  if ('heldBy' in lease) return `in progress: process ${lease.heldBy.pid} on ${lease.heldBy.host}`
  try {
    return await work()
  } finally {
    await lease[Symbol.asyncDispose]()
  }
}

/** A damaged benchmark has no page. */
async function writePageAgain(folder: string, context: FlowContext): Promise<void> {
  const request = { folder, candidate: null, baseline: null, force: false, agentskills: null }
  await aggregateAgain(request, context).catch((error: unknown) => {
    if (!(error instanceof UserError)) throw error
  })
}

interface CacheItem {
  kind: 'run' | 'answer'
  /** Its folder or file, absolute. */
  place: string
  /** On disk, including large files shared with a benchmark. */
  bytes: number
  /** When it was stored or last used. */
  usedAt: Date
  /** The entry of a run; null: damaged, or an answer. */
  entry: CacheEntry | null
  isDamaged: boolean
}

/** Everything in the cache. Skips what another process removes during the listing, and what another program put there. */
function* listCacheItems(cache: Cache): Generator<CacheItem> {
  for (const key of readNames(cache.runs).filter((name) => runName.test(name))) {
    const { folder, entry: file } = entryPaths(cache, key)
    const info = tryReadInfo(file)
    const entry = info === null ? null : readListedEntry(file)
    const usedAt = info?.mtime ?? tryReadInfo(folder)?.mtime
    if (usedAt === undefined) continue
    yield { kind: 'run', place: folder, bytes: sumTreeBytes(folder), usedAt, entry, isDamaged: entry === null }
  }
  for (const folder of [cache.answers, cache.passes]) {
    for (const name of readNames(folder).filter((one) => answerName.test(one))) {
      const place = path.join(folder, name)
      const info = tryReadInfo(place)
      if (info === null) continue
      yield { kind: 'answer', place, bytes: info.size, usedAt: info.mtime, entry: null, isDamaged: false }
    }
  }
}

const runName = /^[0-9a-f]{64}$/
/** Earlier versions added `.json`. */
const answerName = /^[0-9a-f]{64}(?:\.json)?$/

/** Removes an item at once: a concurrent reader finds all of it or nothing. */
async function removeItem(cache: Cache, item: CacheItem): Promise<void> {
  mkdirSync(cache.temporary, { recursive: true }) // without it the rename fails, as for an item that is gone
  removeWhole(item.place, await temporaryName(cache))
}

function readListedEntry(file: string): CacheEntry | null {
  return attempt(() => unpackEntry(readBody(readRegularFile(file), file), file).entry, null)
}
