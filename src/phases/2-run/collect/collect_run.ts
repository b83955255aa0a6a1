/** Collects what the agent left in its working folder and elsewhere, after its end. */
import { existsSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import type { RunRecord } from '../../../../schemas/run.ts'
import { isPlainFolder } from '../../../base/fs/inside_folder.ts'
import { listSkillsFolders } from '../../../engines/table.ts'
import type { RunRequest } from '../run_request.ts'
import type { RunPlace } from '../workspace/run_place.ts'
import { collectChangedFiles, copyPlainFolder, findOutsideFiles, type Snapshot } from './collect_outputs.ts'

type EndedRun = Pick<RunRequest, 'spec' | 'engine' | 'folder' | 'keepWork' | 'signal'>

/** The snapshots from before the agent; `before` null: it never started. */
interface Snapshots {
  before: Snapshot | null
  outsideBefore?: Snapshot
}

/** Copies the outputs into the run's folder; a file of the agent's that can't be collected is a warning or a reason in `left_out`. */
export async function collectOutputs(
  request: EndedRun,
  { temp, cwd, home, world, end }: Pick<RunPlace, 'temp' | 'cwd' | 'home' | 'world'> & { end: Snapshots },
): Promise<{ outputs: RunRecord['outputs']; warnings: string[] }> {
  const target = path.join(request.folder, 'outputs')
  mkdirSync(target, { recursive: true })
  // this process has no sandbox: a link that the agent left in place of the folder could lead it anywhere
  if (existsSync(cwd) && !isPlainFolder(temp, cwd))
    return { outputs: { files: [], deleted: [], left_out: [{ path: '.', reason: 'a link' }] }, warnings: [] }
  if (request.keepWork) await copyPlainFolder(cwd, path.join(request.folder, 'work'))
  const { before, outsideBefore = new Map() } = end
  if (before === null) return { outputs: { files: [], deleted: [], left_out: [] }, warnings: [] }
  const { collect = [] } = request.spec
  const { signal, engine } = request
  const { wanted, warnings } =
    world === null
      ? await findOutsideFiles({ home, before: outsideBefore, collect, signal })
      : { wanted: [], warnings: [] }
  const skillsFolders = listSkillsFolders(engine, request.spec.engine)
  const how = { cwd, before, skillsFolders, isHome: cwd === home, target, outside: wanted }
  return { outputs: await collectChangedFiles(how), warnings }
}
