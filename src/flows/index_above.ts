/** The indexes that may have a row of a benchmark. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { indexPaths } from '../store/paths.ts'

/** In its workspace, above that, and above the workspaces of the engines of a matrix; those that are there, absolute. */
export function indexRootsAbove(folder: string): string[] {
  return ['../..', '../../..', '../../../..']
    .map((up) => path.resolve(folder, up))
    .filter((root) => existsSync(indexPaths(root).index))
}
