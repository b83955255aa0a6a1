/** Input files of cases as the page carries them, from where the suite has them now. */
import { statSync } from 'node:fs'
import path from 'node:path'
import type { PageFile } from '../../../schemas/page.ts'
import type { SuiteCase } from '../../../schemas/suite.ts'
import { pageFile, readOutputs } from './read_outputs.ts'

const most = 100_000

/** By eval_id; a file that changed or went since the plan was made says so. */
export function caseFiles(cases: readonly SuiteCase[]): Map<number, PageFile[]> {
  return new Map(
    cases.map(({ eval_id, files }) => [
      eval_id,
      files.flatMap(({ path: name, source, kind, sha256, bytes }) => {
        if (kind === 'directory')
          return readOutputs(source).map((file) => ({ ...file, path: path.posix.join(name, file.path) }))
        const gone = statSync(source, { throwIfNoEntry: false })?.size !== bytes
        const shared = { path: name, bytes, sha256, as: 'none' as const, body: '' }
        return gone
          ? { ...shared, left_out: 'It is not where it was when the plan was made, or has changed since.' }
          : pageFile(source, name, { most, sha256 })
      }),
    ]),
  )
}
