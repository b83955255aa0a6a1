/** The outputs that a check of files names by a path or glob, and those that may be meant but were not collected. */
import { capped, named } from './evidence.ts'
import { inside, storedName } from './locate.ts'
import { isGlob, meant } from './meant.ts'
import { type CheckScene, isUnknown } from './scene.ts'

export interface Wanted {
  /** The path without ./ and the like. */
  plain: string
  /** Names of outputs that are meant. */
  names: string[]
  /** Left out by a limit of ours, with the reason. */
  unseen: { path: string; reason: string }[]
}

/** `error`: the path leads out, the glob can't be tried, or a folder that may hold such a file could not be read. */
export async function wantedOutputs(wanted: string, scene: CheckScene): Promise<Wanted | { error: string }> {
  const plain = inside(wanted)
  if (plain === null) return { error: `the check's path ${wanted} leads out of the working folder` }
  const outputs = await meant(storedName(plain), scene.outputs, scene.signal)
  if ('error' in outputs) return outputs
  const unknown = scene.leftOut.filter(isUnknown)
  const left = await meant(
    plain,
    unknown.map((one) => one.path),
    scene.signal,
  )
  if ('error' in left) return left
  const closed = unknown.find(
    (one) => isClosed(one) && (isGlob(plain) || one.path === '.' || plain.startsWith(`${one.path}/`)),
  )
  if (closed) return { error: `${closed.path} was not collected: ${closed.reason}` }
  return { plain, names: outputs.names, unseen: unknown.filter((one) => left.names.includes(one.path)) }
}

/** A folder that may not be entered, or one of which nothing more was taken. */
function isClosed({ reason }: { reason: string }): boolean {
  return !/^(larger than|all outputs together|more than|can't be copied)/.test(reason)
}

/** What was there instead, for evidence. */
export function leftInstead(scene: CheckScene): string {
  return `the agent left ${capped(named(scene.outputs))}`
}
