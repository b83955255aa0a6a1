/** Explains write errors of reports: they go into the folder that they describe, which may be read-only. */
import { errnoCode, errorMessage, UserError } from '../../base/errors/error.ts'
import type { FlowContext } from '../flow_context.ts'
import { type BenchmarkLock, lockBenchmark } from '../workspace/benchmark_lock.ts'

const writeErrorCodes = ['EACCES', 'EPERM', 'EROFS']

/** Runs `work`. Throws UserError where the system refuses writes to the folder. */
export async function explainWriteErrors<T>(folder: string, work: () => Promise<T>, what = 'reports'): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!writeErrorCodes.includes(errnoCode(error) ?? '')) throw error
    const fix = 'copy the folder to a place that can be written to, and name the copy'
    throw new UserError(`${folder}: ${what} can't be written there: ${errorMessage(error)}`, fix)
  }
}

export function lockNamedFolder(folder: string, context: FlowContext): Promise<BenchmarkLock> {
  return explainWriteErrors(folder, () => lockBenchmark(folder, context), 'results')
}
