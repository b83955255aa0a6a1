/** The page of a benchmark alone, all in one text: what tests and callers without a folder get. */
import type { Benchmark } from '../../../schemas/benchmark.ts'
import type { Prompts } from './page/cases.ts'
import { packed } from './page/pack.ts'
import { nothingBeside, pageOf } from './page/page.ts'
import { evidencePacks } from './page/runs.ts'
import { shell } from './page/shell.ts'

/** The whole page without transcripts and outputs. With the plan it also shows each case's prompt. */
export function toHtml(benchmark: Benchmark, prompts: Prompts | null = null): string {
  const packs = [...evidencePacks(benchmark)]
  const page = pageOf(benchmark, { ...nothingBeside, prompts, packs: packs.map(() => 1) })
  const data = packs.map((pack, index) => ({ key: `pack-${index}`, text: packed(pack) }))
  return shell({ page, data, served: false })
}
