/** Records which versions each benchmark compared, to find the runs of a version on a case. */
import path from 'node:path'
import type { History } from '../../../../schemas/history.ts'

export interface ComparedVersions {
  /** Absolute. */
  folder: string
  /** The version of each configuration. */
  arms: Readonly<Record<string, string>>
}

/** The comparisons in a history, oldest first. */
export function listComparedVersions(
  { iterations }: Pick<History, 'iterations'>,
  workspace: string,
): ComparedVersions[] {
  return iterations.flatMap(({ version, parent, gate, benchmarks }) => {
    const at = (folder: string) => path.join(workspace, folder)
    const { noise, train, validation } = benchmarks ?? {}
    return [
      ...(noise === undefined ? [] : [pairVersions(at(noise), version, version)]),
      ...(train === undefined ? [] : [pairVersions(at(train), version, parent ?? version)]),
      ...(validation === undefined ? [] : [pairVersions(at(validation), version, gate?.against ?? version)]),
    ]
  })
}

export function pairVersions(folder: string, candidate: string, incumbent: string): ComparedVersions {
  return { folder, arms: { new_skill: candidate, old_skill: incumbent, old_skill_again: incumbent } }
}
