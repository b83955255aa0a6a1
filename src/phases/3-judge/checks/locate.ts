/** Finds an output file by the path a check names; never leaves the outputs folder. */
import { realpath } from 'node:fs/promises'
import path from 'node:path'
import { isPassedOver } from '../../../base/passed_over.ts'
import { named } from './evidence.ts'
import { type CheckScene, isUnknown } from './scene.ts'

/** The name in outputs/: our metrics.json takes that name, so the agent's own is kept under another. */
export function storedName(plain: string): string {
  return plain === 'metrics.json' ? 'metrics.agent.json' : plain
}

export type Located =
  | { status: 'found'; path: string; file: string }
  | { status: 'missing'; evidence: string }
  | { status: 'undecided'; error: string }

/** `wanted` as a plain path below the working folder, without ./ and the like; null when it leads out of it. */
export function inside(wanted: string): string | null {
  const plain = path.posix.normalize(wanted)
  if (path.posix.isAbsolute(plain) || plain === '..' || plain.startsWith('../')) return null
  return plain.replace(/\/$/, '')
}

/** The output file of that path. */
export async function locate(wanted: string, scene: CheckScene): Promise<Located> {
  const plain = inside(wanted)
  if (plain === null)
    return { status: 'undecided', error: `the check's path ${wanted} leads out of the working folder` }
  const name = storedName(plain)
  if (scene.outputs.includes(name)) return resolved(name, scene.outputsFolder)
  const left = scene.leftOut.find((one) => holds(one.path, plain))
  if (left !== undefined && isUnknown(left)) {
    return { status: 'undecided', error: `${plain} was not collected: ${left.reason}` }
  }
  if (left !== undefined) return { status: 'missing', evidence: `${plain} is ${left.reason}, not a file of its own` }
  if (isPassedOver(plain)) return { status: 'undecided', error: `${plain} is in a folder that is not collected` }
  return { status: 'missing', evidence: `No output file ${plain}; the agent left ${named(scene.outputs)}` }
}

/** Whether a left-out path is the wanted one or a folder above it; `.` is the working folder itself. */
function holds(leftOut: string, wanted: string): boolean {
  return leftOut === '.' || wanted === leftOut || wanted.startsWith(`${leftOut}/`)
}

async function resolved(name: string, folder: string): Promise<Located> {
  const [root, file] = await Promise.all(
    [folder, path.join(folder, name)].map((one) => realpath(one).catch(() => null)),
  )
  if (!root || !file) return { status: 'undecided', error: `${name} is no longer in the run's outputs` }
  if (!file.startsWith(root + path.sep)) return { status: 'undecided', error: `${name} is a link out of the outputs` }
  return { status: 'found', path: name, file }
}
