/** Which versions met in which benchmarks: where the runs of a version on a case can be read. */
import path from 'node:path'
import type { History } from '../../../schemas/history.ts'

export interface Met {
  /** Absolute. */
  folder: string
  /** The version of each arm, by configuration. */
  arms: Readonly<Record<string, string>>
}

/** What a history says of it, in the order in which they were made. */
export function registryOf({ iterations }: Pick<History, 'iterations'>, workspace: string): Met[] {
  return iterations.flatMap(({ version, parent, gate, benchmarks }) => {
    const at = (folder: string) => path.join(workspace, folder)
    const { noise, train, validation } = benchmarks ?? {}
    return [
      ...(noise === undefined ? [] : [metWith(at(noise), version, version)]),
      ...(train === undefined ? [] : [metWith(at(train), version, parent ?? version)]),
      ...(validation === undefined ? [] : [metWith(at(validation), version, gate?.against ?? version)]),
    ]
  })
}

export function metWith(folder: string, candidate: string, incumbent: string): Met {
  return { folder, arms: { new_skill: candidate, old_skill: incumbent, old_skill_again: incumbent } }
}
