/** Which folder is meant where a project's is given: its workspaces, or the only one. */
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { benchmarkIndex } from '../../schemas/benchmark_index.ts'
import { exists } from '../base/files.ts'
import { readJson } from '../base/json.ts'
import { benchmarkPaths, indexPaths } from '../store/paths.ts'
import { listBenchmarks } from '../store/store.ts'
import { evalsAsked } from './eval/view_evals.ts'
import { measuredIn } from './page/workspace_page.ts'

/** Where bench writes if nobody says where. */
const usual = 'workspaces'

/** `folder` (absolute) itself, but of one that holds nothing of ours except `workspaces/`: that, or the only workspace in it. */
export async function meantBy(folder: string): Promise<string> {
  if ((await isBenched(folder)) || (await isIndexed(folder))) return folder
  const below = path.join(folder, usual)
  const names = await readdir(below).catch(() => [])
  const found: string[] = []
  for (const name of names) if (await isWorkspace(path.join(below, name))) found.push(path.join(below, name))
  const [only, ...others] = found
  if (only === undefined) return folder
  return others.length > 0 ? below : only
}

async function isBenched(folder: string): Promise<boolean> {
  if (await exists(benchmarkPaths(folder).plan)) return true
  return (await listBenchmarks(folder)).length > 0 || (await evalsAsked(folder)) !== null
}

/** Of several skills, or of one on several engines. */
async function isIndexed(folder: string): Promise<boolean> {
  const { index } = indexPaths(folder)
  const known = (await exists(index)) ? await readJson(benchmarkIndex, index).catch(() => null) : null
  return known !== null
}

async function isWorkspace(folder: string): Promise<boolean> {
  return (await isBenched(folder)) || (await isIndexed(folder)) || measuredIn(folder) !== null
}
