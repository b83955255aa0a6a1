/** Finds an output file by the path of a check, never outside the outputs folder. */
import { realpath } from 'node:fs/promises'
import path from 'node:path'
import { isIgnoredPath } from '../../../../base/fs/ignored_folders.ts'
import { type CheckContext, type CheckVerdict, isContentUnknown } from './check_input.ts'
import { failUnreadable, formatNames } from './evidence.ts'

/** Name in outputs/. Whetstone's metrics.json takes that name, so the agent's own has another. */
export function storedName(plain: string): string {
  return plain === 'metrics.json' ? 'metrics.agent.json' : plain
}

export type LocatedOutput =
  | { status: 'found'; path: string; file: string }
  | { status: 'missing'; evidence: string }
  | { status: 'undecided'; verdict: CheckVerdict }

/** Normalises a path below the working folder; null: it leads out. */
export function normalizeInnerPath(wanted: string): string | null {
  const plain = path.posix.normalize(wanted)
  if (path.posix.isAbsolute(plain) || plain === '..' || plain.startsWith('../')) return null
  return plain.replace(/\/$/, '')
}

/** Finds the output file of that path. */
export async function locateOutput(wanted: string, context: CheckContext): Promise<LocatedOutput> {
  const plain = normalizeInnerPath(wanted)
  if (plain === null) return undecided(`the check's path ${wanted} leads out of the working folder`)
  const name = storedName(plain)
  if (context.outputs.includes(name)) return resolveOutput(name, context.outputsFolder)
  const left = context.leftOut.find((one) => holds(one.path, plain))
  if (left !== undefined && isContentUnknown(left)) {
    return { status: 'undecided', verdict: failUnreadable(`${plain} was not collected: ${left.reason}`) }
  }
  if (left !== undefined) return { status: 'missing', evidence: `${plain} is ${left.reason}, not a regular file` }
  if (isIgnoredPath(plain)) return undecided(`${plain} is in a folder that is not collected`)
  return { status: 'missing', evidence: `No output file ${plain}; the agent left ${formatNames(context.outputs)}` }
}

function undecided(error: string): LocatedOutput {
  return { status: 'undecided', verdict: { error } }
}

/** Whether a skipped path is the wanted one or a folder above it; `.` is the working folder itself. */
function holds(leftOut: string, wanted: string): boolean {
  return leftOut === '.' || wanted === leftOut || wanted.startsWith(`${leftOut}/`)
}

async function resolveOutput(name: string, folder: string): Promise<LocatedOutput> {
  const [root, file] = await Promise.all(
    [folder, path.join(folder, name)].map((one) => realpath(one).catch(() => null)),
  )
  if (!root || !file) return undecided(`${name} is no longer in the run's outputs`)
  if (!file.startsWith(root + path.sep)) return undecided(`${name} is a link out of the outputs`)
  return { status: 'found', path: name, file }
}
