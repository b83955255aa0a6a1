/** file_hash: a file has exactly this content, whether the agent made it, changed it or left it as it was. */
import type { CheckOf } from '../../../../schemas/check.ts'
import { hashFile } from '../../../base/files.ts'
import { inside, locate } from './locate.ts'
import type { CheckScene, CheckVerdict } from './scene.ts'
import { untouched } from './working_folder.ts'

export async function fileHash(check: CheckOf<'file_hash'>, scene: CheckScene): Promise<CheckVerdict> {
  const located = await locate(check.path, scene)
  switch (located.status) {
    case 'undecided':
      return { error: located.error }
    case 'found':
      return verdict(check, located.path, await hashFile(located.file))
    case 'missing': {
      const { evidence } = located
      const plain = inside(check.path)
      if (scene.leftOut.some((one) => one.path === plain)) return { passed: false, evidence }
      return await untouched(scene, async (files) => {
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
