/** Reads what a workspace keeps: each folder of ours with its kind, skill, size, and what may need it. Follows no link. */
import { existsSync, lstatSync, readFileSync, realpathSync } from 'node:fs'
import path from 'node:path'
import * as z from 'zod'
import type { CleanKind, CleanReport } from '../../../schemas/clean_report.ts'
import { type History, history as historySchema } from '../../../schemas/history.ts'
import { attempt } from '../../base/errors/attempt.ts'
import { UserError } from '../../base/errors/error.ts'
import { isPlainFolder } from '../../base/fs/inside_folder.ts'
import { missingPathError } from '../../base/fs/nearest_path.ts'
import { readNames, sumTreeBytes } from '../../base/fs/tree_size.ts'
import { type Damage, tryReadArtefact } from '../../store/artefacts/damage.ts'
import { listRunParts } from '../../store/artefacts/removed_parts.ts'
import { cachePaths } from '../../store/cache/cache.ts'
import { benchmarkPaths, findBenchmarkWorkspace, improvePaths, isTimestampName, rankPaths } from '../../store/paths.ts'

export interface KeptFolder {
  /** Absolute, without links on the way from the workspace. */
  path: string
  workspace: string
  kind: CleanKind
  skill: string
  /** When it began; null: its name does not say. */
  startedAt: Date | null
  complete: boolean
  bytes: number
  /** Part of `bytes`: transcripts and outputs, without pages that quote them. */
  transcriptBytes: number
}

export interface KeptWorkspace {
  workspace: string
  folders: KeptFolder[]
  kinds: CleanReport['workspaces'][number]['kinds']
  /** Of the session in the workspace; null: none; damaged: it can't be read. */
  history: History | 'damaged' | null
}

/** Folders with timestamps as names, and the files that show that one is Whetstone's own. */
const collections = {
  benchmarks: ['plan.json'],
  calibrations: ['plan.json'],
  searches: ['plan.json'],
  evals: ['plan.json', 'eval.json'],
  triggers: ['triggers.json', 'plan.json'],
  descriptions: ['description.json'],
  recorded: ['plan.json'],
  ranks: ['plan.json'],
  sessions: ['history.json'],
} as const satisfies Partial<Record<CleanKind, readonly string[]>>

type CollectionKind = keyof typeof collections
const collectionKinds = Object.keys(collections).filter((name): name is CollectionKind => name in collections)

/** What the user's places are, absolute. */
export interface FoundPlaces {
  /** All workspaces, also those of named benchmarks. */
  workspaces: string[]
  /** Workspaces that were found in a place: all of their folders may be chosen. */
  whole: ReadonlySet<string>
  /** Benchmarks that are places themselves. */
  named: ReadonlySet<string>
}

/** The workspaces in these places and up to two levels below, and the benchmarks that are named themselves. Throws UserError. */
export function findWorkspaces(places: readonly string[]): FoundPlaces {
  const workspaces = new Set<string>()
  const whole = new Set<string>()
  const named = new Set<string>()
  for (const given of places) {
    const asked = path.resolve(given)
    if (!existsSync(asked)) throw missingPathError(given, 'folder', 'pass a workspace or a folder of workspaces')
    const place = realpathSync(asked)
    const own = findBenchmarkWorkspace(place)
    if (own !== null) {
      workspaces.add(own)
      named.add(place)
      continue
    }
    const found = [place, ...childFolders(place), ...childFolders(place).flatMap(childFolders)].filter(isWorkspace)
    if (found.length === 0) {
      throw new UserError(`${given}: no workspace of Whetstone in it`, 'pass a workspace, such as workspaces/<skill>')
    }
    for (const one of found) whole.add(one)
  }
  return { workspaces: [...new Set([...workspaces, ...whole])].sort(), whole, named }
}

function childFolders(folder: string): string[] {
  return readNames(folder).flatMap((name) => {
    const place = path.join(folder, name)
    return name.startsWith('.') || !isPlainFolder(folder, place) ? [] : [place]
  })
}

function isWorkspace(folder: string): boolean {
  return existsSync(cachePaths(folder).runs) || collectionKinds.some((kind) => listOwnFolders(folder, kind).length > 0)
}

/** Folders of a collection that are recognizably ours, oldest first. */
function listOwnFolders(workspace: string, kind: CollectionKind): string[] {
  return readNames(path.join(workspace, kind))
    .filter(isTimestampName)
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
    .map((name) => path.join(workspace, kind, name))
    .filter((place) => isPlainFolder(workspace, place) && collections[kind].some((name) => isJsonFile(place, name)))
}

function isJsonFile(folder: string, name: string): boolean {
  return anyFile.safeParse(readJsonFile(path.join(folder, name))).success
}

const anyFile = z.looseObject({})
const skillFile = z.looseObject({ skill: z.looseObject({ name: z.string() }) })
const completeFile = z.looseObject({ complete: z.literal(true) })

/** undefined: missing, a link, or no JSON. */
function readJsonFile(file: string): unknown {
  return attempt(() => (lstatSync(file).isFile() ? JSON.parse(readFileSync(file, 'utf8')) : undefined), undefined)
}

export async function readWorkspace(workspace: string): Promise<KeptWorkspace> {
  const folders = collectionKinds.flatMap((kind) =>
    listOwnFolders(workspace, kind).map((place) => readFolder(workspace, place, kind)),
  )
  const damages: Damage[] = []
  const { history: file, versions, mixes, proposals, backups } = improvePaths(workspace)
  const history = tryReadArtefact(historySchema, file, (damage) => damages.push(damage))
  const more = [
    { kind: 'improve' as const, places: [file, versions, mixes, proposals, backups] },
    { kind: 'cache' as const, places: [cachePaths(workspace).folder] },
  ]
  const kinds = [
    ...collectionKinds.flatMap((kind) => summarizeKind(kind, folders)),
    ...more.flatMap(({ kind, places }) => {
      const there = places.filter((place) => existsSync(place))
      const bytes = there.reduce((sum, place) => sum + sumTreeBytes(place), 0)
      return there.length === 0 ? [] : [{ kind, folders: there.length, bytes, transcript_bytes: 0, oldest: null }]
    }),
  ]
  return { workspace, folders, kinds, history: damages.length > 0 ? 'damaged' : history }
}

function readFolder(workspace: string, place: string, kind: CollectionKind): KeptFolder {
  const skill = skillFile.safeParse(readJsonFile(benchmarkPaths(place).plan)).data?.skill.name ?? ''
  const complete = completeFile.safeParse(
    readJsonFile(kind === 'ranks' ? rankPaths(place).rank : benchmarkPaths(place).benchmark),
  ).success
  const transcripts = [benchmarkPaths(place).partial, ...listRunFolders(place).flatMap(listRunParts)]
  const transcriptBytes = transcripts.reduce((sum, one) => sum + sumTreeBytes(one), 0)
  const base = { path: place, workspace, kind, skill, complete, transcriptBytes }
  return { ...base, startedAt: parseStart(path.basename(place)), bytes: sumTreeBytes(place) }
}

function summarizeKind(kind: CollectionKind, folders: readonly KeptFolder[]): KeptWorkspace['kinds'] {
  const own = folders.filter((one) => one.kind === kind)
  const [first] = own
  if (first === undefined) return []
  const sum = (of: (one: KeptFolder) => number) => own.reduce((total, one) => total + of(one), 0)
  const transcript_bytes = sum((one) => one.transcriptBytes)
  return [
    { kind, folders: own.length, bytes: sum((one) => one.bytes), transcript_bytes, oldest: path.basename(first.path) },
  ]
}

/** 2026-01-15T10-30-00Z, also with -2 at its end. */
function parseStart(name: string): Date | null {
  const [, day = '', time = ''] = /^(\d{4}-\d\d-\d\d)T(\d\d-\d\d-\d\d)Z/.exec(name) ?? []
  const moment = new Date(`${day}T${time.replaceAll('-', ':')}Z`)
  return Number.isNaN(moment.getTime()) ? null : moment
}

/** The folders of runs in a benchmark, also of older ones that ran again: eval-…/<configuration>/run-<n>, without links. */
export function listRunFolders(benchmark: string): string[] {
  const at = (folder: string, pattern: RegExp) =>
    childFolders(folder).filter((place) => pattern.test(path.basename(place)))
  const { older } = benchmarkPaths(benchmark)
  const roots = [benchmark, ...(isPlainFolder(benchmark, older) ? [older] : [])]
  const cases = roots.flatMap((root) => at(root, /^eval-/))
  return cases.flatMap((one) => at(one, /./).flatMap((arm) => at(arm, /^run-\d+$/)))
}

/** The report page and its data, which contain transcripts and outputs. */
export function listPages(benchmark: string): string[] {
  return [benchmarkPaths(benchmark).report, path.join(benchmark, 'report.data')]
}
