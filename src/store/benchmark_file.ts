/** Writes benchmark.json run by run. */
import {
  type Benchmark,
  type BenchmarkRun,
  benchmarkRun,
  benchmark as benchmarkSchema,
} from '../../schemas/benchmark.ts'
import { writeAtomic } from '../base/durable.ts'
import { checkAs } from '../base/json.ts'
import { listedText } from './listed_text.ts'

/** The bytes are those of every artefact; each run is checked before it is written. */
export async function writeBenchmark(file: string, benchmark: Benchmark): Promise<void> {
  const frame = checkAs(benchmarkSchema, { ...benchmark, runs: [] }, file)
  const check = (run: BenchmarkRun, index: number) => checkAs(benchmarkRun, run, `${file}, runs[${index}]`)
  await writeAtomic(file, listedText({ frame, name: 'runs', items: benchmark.runs, check }))
}
