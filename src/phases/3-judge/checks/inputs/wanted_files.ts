/** Finds the outputs that a check names by a path or glob, and uncollected files that may match. */
import picomatch from 'picomatch'
import { findMatchingGroups } from '../../../../base/process/find_pattern.ts'
import {
  type CheckContext,
  type CheckVerdict,
  capText,
  describeUnfinished,
  failUnreadable,
  formatNames,
  isContentUnknown,
} from './check_input.ts'
import { normalizeInnerPath, storedName } from './locate_output.ts'

export interface WantedOutputs {
  /** The normalised path. */
  plain: string
  names: string[]
  /** Skipped because of a limit of Whetstone, with the reason. */
  unseen: { path: string; reason: string }[]
  /** Links, pipes and devices, with the reason. */
  odd: { path: string; reason: string }[]
}

/** `verdict`: the path leads out, the glob cannot be evaluated, or a folder that may contain such a file is unreadable. */
export async function findWantedOutputs(
  wanted: string,
  context: CheckContext,
): Promise<WantedOutputs | { verdict: CheckVerdict }> {
  const plain = normalizeInnerPath(wanted)
  if (plain === null) return { verdict: { error: `the check's path ${wanted} leads out of the working folder` } }
  const outputs = await resolveFileNames(storedName(plain), context.outputs, context.signal)
  if ('error' in outputs) return { verdict: outputs }
  const unknown = context.leftOut.filter(isContentUnknown)
  const left = await resolveFileNames(
    plain,
    context.leftOut.map((one) => one.path),
    context.signal,
  )
  if ('error' in left) return { verdict: left }
  const closed = unknown.find(
    (one) => isClosed(one) && (isGlob(plain) || one.path === '.' || plain.startsWith(`${one.path}/`)),
  )
  if (closed) return { verdict: failUnreadable(`${closed.path} was not collected: ${closed.reason}`) }
  const matching = context.leftOut.filter((one) => left.names.includes(one.path))
  const [unseen, odd] = [true, false].map((is) => matching.filter((one) => isContentUnknown(one) === is))
  return { plain, names: outputs.names, unseen: unseen ?? [], odd: odd ?? [] }
}

/** A folder that is not accessible, or whose content was not collected. */
function isClosed({ reason }: { reason: string }): boolean {
  return !/^(larger than|all outputs together|more than|can't be copied)/.test(reason)
}

export function describeActualOutputs(context: CheckContext): string {
  return `the agent left ${capText(formatNames(context.outputs))}`
}

/** `wanted`: in NFC; names of macOS are not. Matches the exact name, else files below that folder, else the glob; `error`: the glob cannot be evaluated. */
export async function resolveFileNames(
  wanted: string,
  names: readonly string[],
  signal: AbortSignal,
): Promise<{ names: string[] } | { error: string }> {
  const composed = names.map((name) => name.normalize('NFC'))
  const exact = names[composed.indexOf(wanted)]
  if (exact !== undefined) return { names: [exact] }
  const below = names.filter((_, at) => composed[at]?.startsWith(`${wanted}/`))
  if (below.length > 0 || !isGlob(wanted)) return { names: below }
  const { source, flags } = picomatch.makeRe(wanted, { dot: true })
  const groups = composed.map((name) => [name])
  const end = await findMatchingGroups({ pattern: source, flags }, groups, signal)
  if ('error' in end) return describeUnfinished(`the glob ${wanted}`, end)
  return { names: end.value.flatMap((index) => names[index] ?? []) }
}

export function isGlob(wanted: string): boolean {
  return picomatch.scan(wanted).isGlob
}
