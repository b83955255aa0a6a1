/** The first failure of a case: a line below its row that opens the run at the verdict. */
import { columnEntry, type Model, type Run, toMark } from '../../data/model.ts'
import { displayArm } from '../../format.ts'
import { CodeSpans } from '../../parts/content/code_spans.tsx'
import { runAddress } from '../run/run_row.tsx'

interface Failure {
  run: Run
  /** The statement's place in the case, counted from 1. */
  verdict: number
  text: string
}

/** In the first failing run of the configuration under test; null: no run of it failed. Diagnostic statements are skipped. */
export function findFirstFailure(model: Model, index: number): Failure | null {
  const { statements } = columnEntry(model.page.cases, index)
  for (const place of model.ofCase(index)) {
    const run = model.run(place)
    if (run.armIndex > 0 || !run.graded) continue
    const row = statements.findIndex(({ diagnostic }, at) => diagnostic !== true && toMark(run.marks[at]) === 'fail')
    const statement = statements[row]
    if (statement !== undefined) return { run, verdict: row + 1, text: statement.text }
  }
  return null
}

export function FirstFailure({ failure: { run, verdict, text } }: { failure: Failure }) {
  return (
    <a class="first-failure" href={runAddress(run, verdict)} title={text}>
      ✗ {displayArm(run.arm)}, run {run.number}: <CodeSpans text={text} />
    </a>
  )
}
