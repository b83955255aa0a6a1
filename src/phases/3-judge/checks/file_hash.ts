/** file_hash: a file has exactly this content, whether the agent created it, changed it or left it unchanged. */
import type { CheckOf } from '../../../../schemas/check.ts'
import { hashFile } from '../../../base/fs/files.ts'
import type { CheckContext, CheckVerdict } from './inputs/check_input.ts'
import { locateOutput, normalizeInnerPath } from './inputs/locate_output.ts'
import { useUntouchedFiles } from './inputs/working_folder.ts'

export async function decideFileHash(check: CheckOf<'file_hash'>, context: CheckContext): Promise<CheckVerdict> {
  const located = await locateOutput(check.path, context)
  switch (located.status) {
    case 'undecided':
      return located.verdict
    case 'found':
      return verdict(check, located.path, await hashFile(located.file))
    case 'missing': {
      const { evidence } = located
      const plain = normalizeInnerPath(check.path)
      if (context.leftOut.some((one) => one.path === plain)) return { passed: false, evidence }
      return await useUntouchedFiles(context, async (files) => {
        const file = files.find((one) => one.path === plain)
        return file === undefined ? { passed: false, evidence } : verdict(check, file.path, await file.sha256())
      })
    }
  }
}

function verdict(check: CheckOf<'file_hash'>, name: string, sha256: string): CheckVerdict {
  const said = `${name} has sha256 ${sha256}`
  return sha256 === check.sha256.toLowerCase()
    ? { passed: true, evidence: said }
    : { passed: false, evidence: `${said}, not ${check.sha256.toLowerCase()}` }
}
