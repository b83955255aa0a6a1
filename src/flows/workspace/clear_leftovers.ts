/** Removes what killed benchmarks left in the temp directory. */
import { reapTempDirs } from '../../base/fs/temp_dir.ts'
import type { FlowContext } from '../flow_context.ts'

/** Reports each folder that can't be removed once, and skips it from then on. */
export async function clearLeftovers({ emit }: Pick<FlowContext, 'emit'>): Promise<void> {
  await reapTempDirs((folder) => {
    const message = `${folder}: a temporary folder of a killed benchmark can't be removed`
    emit({ type: 'artefact_damaged', file: folder, message, mended: 'ignored from now on; remove it yourself' })
  })
}
