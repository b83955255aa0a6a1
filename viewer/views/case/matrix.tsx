/** Statements × runs with all verdicts; shows the difference, and marks indicators, which only runs with the skill can pass. */
import type { PageStatement } from '../../../schemas/page.ts'
import { columnEntry, isUnverified, type Model, type Run, toMark } from '../../data/model.ts'
import { statusText } from '../../data/why_missing.ts'
import { displayArm, displayPoints } from '../../format.ts'
import { CodeSpans } from '../../parts/content/code_spans.tsx'
import { runAddress } from '../run/run_row.tsx'

const mostRuns = 12

export function Matrix({ model, index }: { model: Model; index: number }) {
  const { statements } = columnEntry(model.page.cases, index)
  const runs = model.ofCase(index).map((run) => model.run(run))
  const arms = model.page.arms.map((arm, place) => ({ arm, place, runs: runs.filter((run) => run.armIndex === place) }))
  // with more than two configurations, a remark is about the two that are compared
  const remarked =
    arms.length > 2
      ? `${arms
          .slice(0, 2)
          .map(({ arm }) => displayArm(arm))
          .join(' and ')}: `
      : ''
  return (
    <section aria-labelledby="statements">
      <h2 id="statements">Expectations and checks by run</h2>
      <div class="card scroll">
        <table class="matrix">
          <thead>
            <tr>
              <th scope="col">expectation or check</th>
              {arms.length > 1 && <th scope="col">difference</th>}
              {arms.map(({ arm, place, runs: own }) => (
                <th key={arm} scope="col">
                  <i class={`dot arm-${place}`} />
                  {displayArm(arm)}
                  {own.length > mostRuns && <small> first {mostRuns}</small>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {statements.map((statement, row) => (
              <tr key={statement.text}>
                <th scope="row">
                  <CodeSpans text={statement.text} /> <Tags statement={statement} of={remarked} />
                </th>
                {arms.length > 1 && (
                  <td class="points" data-column="difference">
                    {statement.discrimination === null ? '–' : `${displayPoints(statement.discrimination)} points`}
                  </td>
                )}
                {arms.map(({ arm, runs: own }) => (
                  <td key={arm} data-column={displayArm(arm)}>
                    <span class="pips">
                      {own.slice(0, mostRuns).map((run) => (
                        <Pip key={run.index} run={run} row={row} />
                      ))}
                    </span>
                  </td>
                ))}
              </tr>
            ))}
            <tr>
              <th scope="row">all runs</th>
              {arms.length > 1 && <td />}
              {arms.map(({ arm, runs: own }) => (
                <td key={arm} data-column={displayArm(arm)}>
                  <span class="pips">
                    {own.map((run) => (
                      <a
                        key={run.index}
                        class={`pip run ${run.graded && !run.timedOut ? '' : 'out'}`}
                        href={runAddress(run)}
                        title={run.timedOut ? 'timed out' : run.graded ? undefined : statusText(run.status)}
                      >
                        {run.number}
                      </a>
                    ))}
                  </span>
                </td>
              ))}
            </tr>
          </tbody>
        </table>
      </div>
      <p class="hint">✓ passed · ✗ failed · ? undecided · “·” not in this run · dashed: the quote was not found</p>
      {differenceHint(model) !== null && <p class="hint">{differenceHint(model)}</p>}
    </section>
  )
}

/** null: nothing is compared. */
function differenceHint({ page: { arms } }: Model): string | null {
  const [candidate, baseline] = arms.map(displayArm)
  if (candidate === undefined || baseline === undefined) return null
  return `difference: share of the runs ${candidate} that pass it, minus the share of the runs ${baseline}, in points`
}

function Tags({ statement, of }: { statement: PageStatement; of: string }) {
  const { decided_by, indicator, diagnostic, remark } = statement
  return (
    <>
      {decided_by !== null && (
        <em class="tag" title={decided_by === 'judge' ? 'A model decides it.' : 'Code decides it.'}>
          {decided_by}
        </em>
      )}{' '}
      {diagnostic === true && (
        <em class="tag" title="It is excluded from the pass rate.">
          diagnostic
        </em>
      )}{' '}
      {indicator !== null && (
        <em class="tag" title="Only runs with the skill can pass it: it is excluded from the difference.">
          indicator: {indicator.replaceAll('_', ' ')}
        </em>
      )}{' '}
      {remark !== null && (
        <em class="tag">
          {of}
          <CodeSpans text={remark} />
        </em>
      )}
    </>
  )
}

const signs = { pass: '✓', fail: '✗', undecided: '?', none: '·' } as const
const words = { pass: 'passed', fail: 'failed', undecided: 'undecided', none: 'no verdict' } as const

function Pip({ run, row }: { run: Run; row: number }) {
  const sign = run.marks[row]
  const mark = toMark(sign)
  const doubt = isUnverified(sign)
  const late = run.timedOut ? ', timed out' : ''
  return (
    <a
      class={`pip ${mark} ${doubt ? 'doubt' : ''}`}
      href={runAddress(run, mark === 'none' ? undefined : row + 1)}
      aria-label={`${displayArm(run.arm)} run ${run.number}: ${words[mark]}${doubt ? ', unverified' : ''}${late}`}
      title={late === '' ? undefined : 'timed out'}
    >
      {signs[mark]}
    </a>
  )
}
