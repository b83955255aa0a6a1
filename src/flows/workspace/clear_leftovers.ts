/** Removes what killed benchmarks left in the temp directory, and reports results that another user made. */
import { reapTempDirs } from '../../base/fs/temp_dir.ts'
import type { FlowContext } from '../flow_context.ts'

/** Reports each folder that can't be removed once, and skips it from then on. */
export async function clearLeftovers({ emit }: Pick<FlowContext, 'emit'>): Promise<void> {
  await reapTempDirs((folder) => {
    const message = `${folder}: a temporary folder of a killed benchmark can't be removed`
    emit({ type: 'artefact_damaged', file: folder, message, mended: 'ignored from now on; remove it yourself' })
  })
}

/** `what`: such as "12 cached results". */
export function reportForeignResults(
  { place, what }: { place: string; what: string },
  { emit }: Pick<FlowContext, 'emit'>,
): void {
  const message = `${what} without your signature: not used (in CI, set WHETSTONE_SIGNING_KEY; in the GitHub Action, signing-key)`
  emit({ type: 'foreign_results', place, message })
}
