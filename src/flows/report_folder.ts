/** Where reports and other results go: into the folder that they are made of, which may be one that can only be read. */
import { codeOf, messageOf, UserError } from '../base/error.ts'
import type { FlowContext } from './context.ts'
import { type Held, holdBenchmark } from './hold.ts'

const refusals = ['EACCES', 'EPERM', 'EROFS']

/** Does the work. Throws UserError where the system lets nothing be written into the folder. */
export async function reportingInto<T>(folder: string, work: () => Promise<T>, what = 'reports'): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!refusals.includes(codeOf(error) ?? '')) throw error
    const fix = 'copy the folder to a place that can be written to, and name the copy'
    throw new UserError(`${folder}: ${what} can't be written there: ${messageOf(error)}`, fix)
  }
}

/** holdBenchmark for a folder that the user names as what to work on. */
export function holdNamed(folder: string, context: FlowContext): Promise<Held> {
  return reportingInto(folder, () => holdBenchmark(folder, context), 'results')
}
