/** Loads optional packages on demand; the error for a missing one names the command that installs it. */
import { errnoCode, errorMessage, UserError } from './errors/error.ts'

/** What needs the packages, such as a flag, and all their names. */
export interface PeerRequest {
  by: string
  names: readonly string[]
}

/** Throws UserError when one is not installed; the fix names all of the packages. */
export async function loadPeer<M>(load: () => Promise<M>, { by, names }: PeerRequest): Promise<M> {
  try {
    return await load()
  } catch (error) {
    if (errnoCode(error) !== 'ERR_MODULE_NOT_FOUND') throw error
    const said = errorMessage(error).split('\n')[0] ?? ''
    const absent = names.find((name) => said.includes(`'${name}'`)) ?? names.join(', ')
    throw new UserError(
      `${by}: the package ${absent} is not installed (${said})`,
      `npm install ${names.join(' ')} where whetstone is installed (with -g if whetstone is)`,
    )
  }
}
