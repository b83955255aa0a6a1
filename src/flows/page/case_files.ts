/** Input files of cases as the page carries them, from where the suite has them now, if they are still what the plan was made of. */
import { statSync } from 'node:fs'
import path from 'node:path'
import type { PageFile } from '../../../schemas/page.ts'
import type { SuiteCase } from '../../../schemas/suite.ts'
import { hashFile, hashWalk, walk } from '../../base/files.ts'
import { pageFile, readOutputs } from './read_outputs.ts'

const most = 100_000
/** What is larger is not read for a page. */
const mostBytes = 20_000_000

type InputFile = SuiteCase['files'][number]

/** By eval_id; a file that changed or went since the plan was made says so, and is not shown: a plan may name any file of this machine. */
export async function caseFiles(cases: readonly SuiteCase[]): Promise<Map<number, PageFile[]>> {
  const found = cases.map(async ({ eval_id, files }) => {
    return [eval_id, (await Promise.all(files.map(filesOf))).flat()] as const
  })
  return new Map(await Promise.all(found))
}

async function filesOf(file: InputFile): Promise<PageFile[]> {
  const { path: name, source, kind, sha256, bytes } = file
  const without = (left_out: string) => [{ path: name, bytes, sha256, as: 'none' as const, body: '', left_out }]
  if (bytes > mostBytes) return without('Too large for the page.')
  if (!(await isAsPlanned(file))) return without('It is not where it was when the plan was made, or has changed since.')
  if (kind === 'file') return [pageFile(source, name, { most, sha256 })]
  return readOutputs(source).map((one) => ({ ...one, path: path.posix.join(name, one.path) }))
}

async function isAsPlanned({ source, kind, sha256, bytes }: InputFile): Promise<boolean> {
  const info = statSync(source, { throwIfNoEntry: false })
  if (kind === 'file') {
    return info?.isFile() === true && info.size === bytes && (await hashFile(source).catch(() => '')) === sha256
  }
  return info?.isDirectory() === true && (await folderHash(source, bytes).catch(() => '')) === sha256
}

/** '': it holds more or less than is asked for. */
async function folderHash(source: string, bytes: number): Promise<string> {
  const { files } = await walk(source)
  const own = files.reduce((sum, file) => sum + file.bytes, 0)
  return own === bytes ? await hashWalk(files) : ''
}
