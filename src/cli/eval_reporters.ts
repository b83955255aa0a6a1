/** Reports of eval for others: JUnit, GitHub Actions, Markdown, JSON. */
import { appendFile, mkdir } from 'node:fs/promises'
import path from 'node:path'
import type { EvalResult } from '../../schemas/eval_result.ts'
import { writeAtomic } from '../base/files.ts'
import { evalGithub, evalJunit, evalMarkdown } from '../phases/4-report/eval_texts.ts'
import type { Reporter } from './reporters.ts'

const files = {
  junit: evalJunit,
  markdown: evalMarkdown,
  json: (all) => `${JSON.stringify(all, null, 2)}\n`,
} satisfies Record<Exclude<Reporter['kind'], 'github'>, (all: readonly EvalResult[]) => string>

/** As `report` of reporters.ts does for benchmarks. */
export async function reportEvals(reporters: readonly Reporter[], all: readonly EvalResult[]): Promise<void> {
  for (const reporter of reporters) {
    if (reporter.kind === 'github') {
      process.stderr.write(`${evalGithub(all).join('\n')}\n`)
      const summary = process.env.GITHUB_STEP_SUMMARY
      if (summary !== undefined && summary !== '') await appendFile(summary, `${evalMarkdown(all)}\n`)
      continue
    }
    await mkdir(path.dirname(reporter.file), { recursive: true })
    await writeAtomic(reporter.file, files[reporter.kind](all))
  }
}
