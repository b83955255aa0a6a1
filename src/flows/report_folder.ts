/** Where reports go: into the folder that they are made of, which may be one that can only be read. */
import { codeOf, messageOf, UserError } from '../base/error.ts'

const refusals = ['EACCES', 'EPERM', 'EROFS']

/** Does the work. Throws UserError where the system lets nothing be written into the folder. */
export async function reportingInto<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!refusals.includes(codeOf(error) ?? '')) throw error
    const fix = 'copy the folder to a place that can be written to, and name the copy'
    throw new UserError(`${folder}: reports can't be written there: ${messageOf(error)}`, fix)
  }
}
