/** Resolves a project folder to its workspaces, or to the only one; and finds the evals of a workspace. */
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { benchmarkIndex } from '../../../schemas/benchmark_index.ts'
import { pathExists } from '../../base/fs/files.ts'
import { readJson } from '../../base/json/json.ts'
import { benchmarkPaths, indexPaths } from '../../store/paths.ts'
import { listBenchmarks } from '../../store/store.ts'
import { readMeasuredWorkspace } from '../page/workspace_page.ts'

/** Where bench writes by default. */
const workspacesName = 'workspaces'

/** Returns `place` (absolute), unless all it has from Whetstone is `workspaces/`: then that, or the only workspace in it. The result of a trigger measurement stands for its folder. */
export async function resolveWorkspace(place: string): Promise<string> {
  const folder = isTriggerResult(place) ? path.dirname(place) : place
  if ((await isBenched(folder)) || (await isIndexed(folder))) return folder
  const below = path.join(folder, workspacesName)
  const names = await readdir(below).catch(() => [])
  const found: string[] = []
  for (const name of names) if (await isWorkspace(path.join(below, name))) found.push(path.join(below, name))
  const [only, ...others] = found
  if (only === undefined) return folder
  return others.length > 0 ? below : only
}

function isTriggerResult(file: string): boolean {
  const { triggers, triggerMatrix } = benchmarkPaths(path.dirname(file))
  return file === triggers || file === triggerMatrix
}

async function isBenched(folder: string): Promise<boolean> {
  if (await pathExists(benchmarkPaths(folder).plan)) return true
  return (await listBenchmarks(folder)).length > 0 || (await findRequestedEvals(folder)) !== null
}

/** An index of several skills, or of one skill on several engines. */
async function isIndexed(folder: string): Promise<boolean> {
  const { index } = indexPaths(folder)
  const known = (await pathExists(index)) ? await readJson(benchmarkIndex, index).catch(() => null) : null
  return known !== null
}

async function isWorkspace(folder: string): Promise<boolean> {
  return (await isBenched(folder)) || (await isIndexed(folder)) || readMeasuredWorkspace(folder) !== null
}

export interface RequestedEvals {
  /** Newest first. */
  all: [string, ...string[]]
  /** The folder of the requested page; null: an index of all. */
  one: string | null
}

/** For a workspace without a benchmark, or its folder evals/; null: something else was requested. */
export async function findRequestedEvals(folder: string): Promise<RequestedEvals | null> {
  const isEvals = path.basename(folder) === 'evals'
  const isOther = existsSync(benchmarkPaths(folder).plan) || (await listBenchmarks(folder)).length > 0
  const [newest, ...others] = isOther ? [] : await listBenchmarks(isEvals ? path.dirname(folder) : folder, 'evals')
  if (newest === undefined) return null
  return { all: [newest, ...others], one: isEvals || others.length > 0 ? null : newest }
}
