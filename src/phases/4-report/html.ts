/** `report.html`. */
import type { Benchmark } from '../../../schemas/benchmark.ts'
export function toHtml(benchmark: Benchmark): string {
  return benchmark.metadata.skill_name
}
