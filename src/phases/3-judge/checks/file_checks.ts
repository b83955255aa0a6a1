/** Checks of files by name, size and content: file_exists, file_absent, file_count, file_hash, file_modified, file_size. */
import { stat } from 'node:fs/promises'
import picomatch from 'picomatch'
import type { CheckOf } from '../../../../schemas/check.ts'
import { hashFile } from '../../../base/fs/files.ts'
import { isIgnoredPath } from '../../../base/fs/ignored_folders.ts'
import { findPattern } from '../../../base/process/find_pattern.ts'
import {
  type CheckContext,
  type CheckVerdict,
  describeUnfinished,
  failUnreadable,
  formatNames,
  isContentUnknown,
} from './inputs/check_input.ts'
import { locateOutput, normalizeInnerPath } from './inputs/locate_output.ts'
import { isInRange, rangeText } from './inputs/range.ts'
import { describeActualOutputs, findWantedOutputs, resolveFileNames } from './inputs/wanted_files.ts'
import { useUntouchedFiles } from './inputs/working_folder.ts'

/** The agent created or changed a file of that path or glob. */
export async function decideFileExists(check: CheckOf<'file_exists'>, context: CheckContext): Promise<CheckVerdict> {
  const plain = normalizeInnerPath(check.path) ?? ''
  const big = context.leftOut.find((one) => one.path.normalize('NFC') === plain && isContentUnknown(one))
  if (big) return { passed: true, evidence: `${big.path} is there (not collected: ${big.reason})` }
  const located = await locateOutput(check.path, context)
  if (located.status === 'undecided') return located.verdict
  if (located.status === 'found') return { passed: true, evidence: `${located.path} is there` }
  const below = context.outputs.filter((name) => name.normalize('NFC').startsWith(`${plain}/`))
  if (below.length > 0) return { passed: true, evidence: `${plain}/ is there, with ${formatNames(below)}` }
  if (!picomatch.scan(plain).isGlob) return { passed: false, evidence: located.evidence }
  return decideGlobExists(plain, context)
}

async function decideGlobExists(glob: string, context: CheckContext): Promise<CheckVerdict> {
  const { source, flags } = picomatch.makeRe(glob, { dot: true })
  const unknown = context.leftOut.filter(isContentUnknown).map((one) => one.path)
  const names = [...context.outputs, ...unknown]
  const composed = names.map((name) => name.normalize('NFC'))
  const end = await findPattern({ pattern: source, flags }, composed, context.signal)
  if ('error' in end) return describeUnfinished(`the glob ${glob}`, end)
  const name = names[end.value.index]
  if (name !== undefined) return { passed: true, evidence: `${name} is there` }
  return { passed: false, evidence: `No output file matches ${glob}; the agent left ${formatNames(context.outputs)}` }
}

/** The working folder does not contain such a file when the agent ends. An input file that the agent leaves in place is not absent. */
export async function decideFileAbsent(check: CheckOf<'file_absent'>, context: CheckContext): Promise<CheckVerdict> {
  const wanted = await findWantedOutputs(check.path, context)
  if ('verdict' in wanted) return wanted.verdict
  const { plain, names, unseen, odd } = wanted
  const [there] = [...names, ...[...unseen, ...odd].map(({ path, reason }) => `${path} (${reason})`)]
  if (there !== undefined) return { passed: false, evidence: `${there} is there` }
  if (isIgnoredPath(plain)) return { error: `${plain} is in a folder that is not collected` }
  return await useUntouchedFiles(context, async (files): Promise<CheckVerdict> => {
    const given = await resolveFileNames(
      plain,
      files.map((file) => file.path),
      context.signal,
    )
    if ('error' in given) return given
    const [name] = given.names
    if (name !== undefined)
      return { passed: false, evidence: `${name} exists, unchanged from before the agent started` }
    return { passed: true, evidence: `The working folder contains nothing that matches ${plain}` }
  })
}

/** The agent created or changed this many files that match a glob. A file that is too large to be collected still counts. */
export async function decideFileCount(check: CheckOf<'file_count'>, context: CheckContext): Promise<CheckVerdict> {
  const wanted = await findWantedOutputs(check.path, context)
  if ('verdict' in wanted) return wanted.verdict
  const names = [...wanted.names, ...wanted.unseen.map((one) => one.path)]
  const said = `${check.path}: ${names.length} files (${formatNames(names)})`
  if (isInRange(check.count, names.length)) return { passed: true, evidence: said }
  return { passed: false, evidence: `${said}, not ${rangeText(check.count)}` }
}

/** A file has exactly this content, whether the agent created it, changed it or left it unchanged. */
export async function decideFileHash(check: CheckOf<'file_hash'>, context: CheckContext): Promise<CheckVerdict> {
  const located = await locateOutput(check.path, context)
  switch (located.status) {
    case 'undecided':
      return located.verdict
    case 'found':
      return hashVerdict(check, located.path, await hashFile(located.file))
    case 'missing': {
      const { evidence } = located
      const plain = normalizeInnerPath(check.path)
      if (context.leftOut.some((one) => one.path.normalize('NFC') === plain)) return { passed: false, evidence }
      return await useUntouchedFiles(context, async (files) => {
        const file = files.find((one) => one.path.normalize('NFC') === plain)
        return file === undefined ? { passed: false, evidence } : hashVerdict(check, file.path, await file.sha256())
      })
    }
  }
}

function hashVerdict(check: CheckOf<'file_hash'>, name: string, sha256: string): CheckVerdict {
  const said = `${name} has sha256 ${sha256}`
  return sha256 === check.sha256.toLowerCase()
    ? { passed: true, evidence: said }
    : { passed: false, evidence: `${said}, not ${check.sha256.toLowerCase()}` }
}

/** The agent changed a file that existed before. */
export async function decideFileModified(
  check: CheckOf<'file_modified'>,
  context: CheckContext,
): Promise<CheckVerdict> {
  const wanted = await findWantedOutputs(check.path, context)
  if ('verdict' in wanted) return wanted.verdict
  const { names, unseen, plain } = wanted
  const files = context.record.outputs.files.filter((file) => names.includes(file.path))
  const changed = files.find((file) => file.change === 'modified')
  if (changed) return { passed: true, evidence: `${changed.path} was changed (${changed.bytes} bytes)` }
  const [first] = unseen
  if (first) return failUnreadable(`${first.path} was not collected (${first.reason}): it may be a new file`)
  if (context.record.outputs.deleted.includes(plain)) return { passed: false, evidence: `${plain} was deleted` }
  if (names.length > 0)
    return { passed: false, evidence: `${formatNames(names)} was created, so it did not exist before` }
  return { passed: false, evidence: `${plain} was not changed; ${describeActualOutputs(context)}` }
}

/** A file that the agent created or changed has this many bytes. */
export async function decideFileSize(check: CheckOf<'file_size'>, context: CheckContext): Promise<CheckVerdict> {
  const located = await locateOutput(check.path, context)
  switch (located.status) {
    case 'undecided':
      return tooLarge(check, context) ?? located.verdict
    case 'missing':
      return { passed: false, evidence: located.evidence }
    case 'found':
      return sizeVerdict(check, located.path, (await stat(located.file)).size)
  }
}

/** The size of a file is known even if it is too large to be collected. */
function tooLarge(check: CheckOf<'file_size'>, context: CheckContext): CheckVerdict | null {
  const left = context.leftOut.find((one) => one.path.normalize('NFC') === normalizeInnerPath(check.path))
  const bytes = /^larger than .*\((\d+) bytes\)$/.exec(left?.reason ?? '')?.[1]
  return left === undefined || bytes === undefined ? null : sizeVerdict(check, left.path, Number(bytes))
}

function sizeVerdict(check: CheckOf<'file_size'>, name: string, bytes: number): CheckVerdict {
  const said = `${name}: ${bytes} bytes`
  if (isInRange(check.bytes, bytes)) return { passed: true, evidence: said }
  return { passed: false, evidence: `${said}, not ${rangeText(check.bytes)}` }
}
