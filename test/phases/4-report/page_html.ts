/** The page of a benchmark as a single text. */
import type { Benchmark } from '../../../schemas/benchmark.ts'
import { buildPage, noBenchmarkExtras } from '../../../src/phases/4-report/page/build_page.ts'
import type { CasePrompts } from '../../../src/phases/4-report/page/cases.ts'
import { evidencePacks } from '../../../src/phases/4-report/page/runs.ts'
import { packValue, renderPageShell } from '../../../src/phases/4-report/page/shell.ts'

/** The whole page without transcripts and outputs. `prompts` adds each case's prompt. */
export function toHtml(benchmark: Benchmark, prompts: CasePrompts | null = null): string {
  const packs = [...evidencePacks(benchmark)]
  const page = buildPage(benchmark, { ...noBenchmarkExtras, prompts, packs: packs.map(() => 1) })
  const data = packs.map((pack, index) => ({ key: `pack-${index}`, text: packValue(pack) }))
  return renderPageShell({ page, data, served: false })
}
