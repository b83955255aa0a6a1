/** Packages that are optional: loaded when they are asked for, with the command that installs them where they are absent. */
import { codeOf, UserError } from '../../base/error.ts'

/** Throws UserError where the package is not installed. */
export async function loadPeer<M>(load: () => Promise<M>, name: string, wanted: string): Promise<M> {
  try {
    return await load()
  } catch (error) {
    if (codeOf(error) !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new UserError(`${wanted} needs the package ${name}, which is not installed`, `npm install ${name}`)
  }
}
