/** Removes a folder of a workspace, or the transcripts in it, so that a kill at any moment leaves what every command can read. */
import { existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { UserError } from '../../base/errors/error.ts'
import { isPlainFolder } from '../../base/fs/inside_folder.ts'
import { removeTree } from '../../base/fs/remove_tree.ts'
import { tempSiblingName } from '../../base/fs/temp_sibling.ts'
import { removeRunParts } from '../../store/artefacts/removed_parts.ts'
import { takeLease } from '../../store/lease/lease.ts'
import { benchmarkPaths } from '../../store/paths.ts'
import { aggregateAgain } from '../aggregate/aggregate.ts'
import type { FlowContext } from '../flow_context.ts'
import { type KeptFolder, listPages, listRunFolders } from './read_workspace.ts'

/** null: removed; a text: why it was kept. It first gets a hidden name, so that no reader finds a part of it. */
export async function removeFolder(folder: KeptFolder, context: FlowContext): Promise<string | null> {
  return await withFolder(folder, context, async () => {
    const aside = tempSiblingName(folder.path)
    await rename(folder.path, aside)
    await removeTree(aside)
    return existsSync(aside) ? `it can't be removed: ${aside}` : null
  })
}

/** As removeFolder. Pages and unfinished runs go first, and the page is written again at the end. */
export async function removeTranscripts(folder: KeptFolder, context: FlowContext): Promise<string | null> {
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
