/** Where the runs of a benchmark lie: a path is put together when it is asked for, since those of very many runs take more than all their numbers. */
import type { RunSpec } from '../../schemas/plan.ts'
import { runPaths } from '../store/paths.ts'

type Named = Pick<RunSpec, 'run_id' | 'eval_id' | 'configuration' | 'run_number'>

/** What tells the runs of a benchmark apart. */
export function runKey(run: { eval_id: number; configuration: string; run_number: number }): string {
  return `${run.eval_id}/${run.configuration}/run-${run.run_number}`
}

/** Absolute paths by runKey. */
export class RunFolders implements ReadonlyMap<string, string> {
  readonly #benchmark: string
  readonly #ids: ReadonlyMap<string, string>

  /** `benchmark`: its folder, absolute. */
  constructor(benchmark: string, runs: readonly Named[]) {
    this.#benchmark = benchmark
    this.#ids = new Map(runs.map((run) => [runKey(run), run.run_id]))
  }

  get size(): number {
    return this.#ids.size
  }

  has(key: string): boolean {
    return this.#ids.has(key)
  }

  get(key: string): string | undefined {
    const id = this.#ids.get(key)
    return id === undefined ? undefined : this.#folder(id)
  }

  keys() {
    return this.#ids.keys()
  }

  *values(): MapIterator<string> {
    for (const id of this.#ids.values()) yield this.#folder(id)
  }

  *entries(): MapIterator<[string, string]> {
    for (const [key, id] of this.#ids) yield [key, this.#folder(id)]
  }

  [Symbol.iterator]() {
    return this.entries()
  }

  forEach(work: (folder: string, key: string, all: ReadonlyMap<string, string>) => void): void {
    for (const [key, folder] of this.entries()) work(folder, key, this)
  }

  #folder(id: string): string {
    return runPaths(this.#benchmark, id).folder
  }
}
