/** Packages that are optional: loaded when they are asked for, with the command that installs them where they are absent. */
import { codeOf, messageOf, UserError } from './error.ts'

/** What asks for packages, such as a flag, and all that it needs. */
export interface Wanted {
  by: string
  names: readonly string[]
}

/** Throws UserError, with all of the packages in its fix, where one is not installed. */
export async function loadPeer<M>(load: () => Promise<M>, { by, names }: Wanted): Promise<M> {
  try {
    return await load()
  } catch (error) {
    if (codeOf(error) !== 'ERR_MODULE_NOT_FOUND') throw error
    const said = messageOf(error).split('\n')[0] ?? ''
    const absent = names.find((name) => said.includes(`'${name}'`)) ?? names.join(', ')
    throw new UserError(
      `${by}: the package ${absent} is not installed (${said})`,
      `npm install ${names.join(' ')} where whetstone is installed (with -g if whetstone is)`,
    )
  }
}
