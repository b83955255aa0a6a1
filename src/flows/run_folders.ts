/** Where the runs of a benchmark lie: a path is put together when it is asked for, since those of very many runs take more than all their numbers. */
import type { RunSpec } from '../../schemas/plan.ts'
import { runPaths } from '../store/paths.ts'

type Named = Pick<RunSpec, 'run_id' | 'eval_id' | 'configuration' | 'run_number'>

/** What tells the runs of a benchmark apart. */
export function runKey(run: { eval_id: number; configuration: string; run_number: number }): string {
  return `${run.eval_id}/${run.configuration}/run-${run.run_number}`
}

/** Absolute paths by runKey. A key is no text of its own either: those of very many runs take more than the runs' ids. */
export class RunFolders implements ReadonlyMap<string, string> {
  readonly #benchmark: string
  readonly #runs: readonly Named[]
  /** Ids by case, configuration and number. */
  readonly #ids = new Map<string, string[]>()

  /** `benchmark`: its folder, absolute. */
  constructor(benchmark: string, runs: readonly Named[]) {
    this.#benchmark = benchmark
    this.#runs = runs
    for (const run of runs) {
      const arm = `${run.eval_id}/${run.configuration}`
      const ids = this.#ids.get(arm) ?? []
      ids[run.run_number] = run.run_id
      this.#ids.set(arm, ids)
    }
  }

  get size(): number {
    return this.#runs.length
  }

  has(key: string): boolean {
    return this.idOf(key) !== undefined
  }

  get(key: string): string | undefined {
    const id = this.idOf(key)
    return id === undefined ? undefined : this.#folder(id)
  }

  /** Of a run of this key. */
  idOf(key: string): string | undefined {
    const [, arm = '', number] = /^(.*)\/run-(\d+)$/s.exec(key) ?? []
    return this.#ids.get(arm)?.[Number(number)]
  }

  *keys(): MapIterator<string> {
    for (const run of this.#runs) yield runKey(run)
  }

  *values(): MapIterator<string> {
    for (const { run_id } of this.#runs) yield this.#folder(run_id)
  }

  *entries(): MapIterator<[string, string]> {
    for (const run of this.#runs) yield [runKey(run), this.#folder(run.run_id)]
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
