/** Reads the cases' input files from the suite for the page, if they still match the plan. */
import { statSync } from 'node:fs'
import path from 'node:path'
import type { PageFile } from '../../../../schemas/page.ts'
import type { SuiteCase } from '../../../../schemas/suite.ts'
import { hashFile, hashWalk, walk } from '../../../base/fs/files.ts'
import { readOutputs, readPageFile } from '../read_outputs.ts'

const maxCaseFileBytes = 100_000
/** Larger files are left out. */
const mostBytes = 20_000_000

type InputFile = SuiteCase['files'][number]

/** By eval_id. A file that changed or vanished since the plan is marked and not shown: a plan may name any file on this machine. */
export async function readCaseFiles(cases: readonly SuiteCase[]): Promise<Map<number, PageFile[]>> {
  const found = cases.map(async ({ eval_id, files }) => {
    return [eval_id, (await Promise.all(files.map(readInputFile))).flat()] as const
  })
  return new Map(await Promise.all(found))
}

async function readInputFile(file: InputFile): Promise<PageFile[]> {
  const { path: name, source, kind, sha256, bytes } = file
  const without = (left_out: string) => [{ path: name, bytes, sha256, as: 'none' as const, body: '', left_out }]
  if (bytes > mostBytes) return without('Too large for the page.')
  if (!(await isUnchangedSincePlan(file)))
    return without('The file was moved or changed after the benchmark was planned.')
  if (kind === 'file') return [readPageFile(source, name, { most: maxCaseFileBytes, sha256 })]
  return readOutputs(source).map((one) => ({ ...one, path: path.posix.join(name, one.path) }))
}

async function isUnchangedSincePlan({ source, kind, sha256, bytes }: InputFile): Promise<boolean> {
  const info = statSync(source, { throwIfNoEntry: false })
  if (kind === 'file') {
    return info?.isFile() === true && info.size === bytes && (await hashFile(source).catch(() => '')) === sha256
  }
  return info?.isDirectory() === true && (await folderHash(source, bytes).catch(() => '')) === sha256
}

/** '': its size differs from the plan's. */
async function folderHash(source: string, bytes: number): Promise<string> {
  const { files } = await walk(source)
  const own = files.reduce((sum, file) => sum + file.bytes, 0)
  return own === bytes ? await hashWalk(files) : ''
}
