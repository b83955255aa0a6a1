/** The page of a benchmark as a single text, for tests and callers without a folder. */
import type { Benchmark } from '../../../../schemas/benchmark.ts'
import { buildPage, noBenchmarkExtras } from '../page/build_page.ts'
import type { CasePrompts } from '../page/cases.ts'
import { packValue } from '../page/pack.ts'
import { evidencePacks } from '../page/runs.ts'
import { renderPageShell } from '../page/shell.ts'

/** The whole page without transcripts and outputs. `prompts` adds each case's prompt. */
export function toHtml(benchmark: Benchmark, prompts: CasePrompts | null = null): string {
  const packs = [...evidencePacks(benchmark)]
  const page = buildPage(benchmark, { ...noBenchmarkExtras, prompts, packs: packs.map(() => 1) })
  const data = packs.map((pack, index) => ({ key: `pack-${index}`, text: packValue(pack) }))
  return renderPageShell({ page, data, served: false })
}
