/** Statements × runs: who met what; statements that tell the arms apart, and those that only the skill's arm can meet, are marked. */
import type { PageStatement } from '../../schemas/page.ts'
import { at, isUnverified, type Model, markOf, type Run } from '../data/model.ts'
import { statusText } from '../data/why.ts'
import { armLabel, points } from '../words.ts'
import { addressOf } from './runs.tsx'

const mostRuns = 12

export function Matrix({ model, index }: { model: Model; index: number }) {
  const { statements } = at(model.page.cases, index)
  const runs = model.ofCase(index).map((run) => model.run(run))
  const arms = model.page.arms.map((arm, place) => ({ arm, place, runs: runs.filter((run) => run.armIndex === place) }))
  // where more than two arms are shown, a remark is of those that are compared
  const remarked =
    arms.length > 2
      ? `${arms
          .slice(0, 2)
          .map(({ arm }) => armLabel(arm))
          .join(' and ')}: `
      : ''
  return (
    <section aria-labelledby="statements">
      <h2 id="statements">Expectations by run</h2>
      <div class="card scroll">
        <table class="matrix">
          <thead>
            <tr>
              <th scope="col">expectation</th>
              <th scope="col">tells apart</th>
              {arms.map(({ arm, place, runs: own }) => (
                <th key={arm} scope="col">
                  <i class={`dot arm-${place}`} />
                  {armLabel(arm)}
                  {own.length > mostRuns && <small> first {mostRuns}</small>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {statements.map((statement, row) => (
              <tr key={statement.text}>
                <th scope="row">
                  <bdi>{statement.text}</bdi> <Tags statement={statement} of={remarked} />
                </th>
                <td data-column="tells apart">
                  {statement.discrimination === null ? '–' : points(statement.discrimination)}
                </td>
                {arms.map(({ arm, runs: own }) => (
                  <td key={arm} data-column={armLabel(arm)}>
                    <span class="pips">
                      {own.slice(0, mostRuns).map((run) => (
                        <Pip key={run.index} run={run} sign={run.marks[row]} />
                      ))}
                    </span>
                  </td>
                ))}
              </tr>
            ))}
            <tr>
              <th scope="row">all runs</th>
              <td />
              {arms.map(({ arm, runs: own }) => (
                <td key={arm} data-column={armLabel(arm)}>
                  <span class="pips">
                    {own.map((run) => (
                      <a
                        key={run.index}
                        class={`pip run ${run.graded && !run.timedOut ? '' : 'out'}`}
                        href={addressOf(run)}
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
    </section>
  )
}

function Tags({ statement, of }: { statement: PageStatement; of: string }) {
  const { decided_by, indicator, remark } = statement
  return (
    <>
      {decided_by !== null && <em class="tag">{decided_by}</em>}{' '}
      {indicator !== null && <em class="tag">indicator: {indicator.replaceAll('_', ' ')}</em>}{' '}
      {remark !== null && (
        <em class="tag">
          {of}
          {remark}
        </em>
      )}
    </>
  )
}

const signs = { pass: '✓', fail: '✗', undecided: '?', none: '·' } as const
const words = { pass: 'met', fail: 'not met', undecided: 'undecided', none: 'no verdict' } as const

function Pip({ run, sign }: { run: Run; sign: string | undefined }) {
  const mark = markOf(sign)
  const doubt = isUnverified(sign)
  const late = run.timedOut ? ', timed out' : ''
  return (
    <a
      class={`pip ${mark} ${doubt ? 'doubt' : ''}`}
      href={addressOf(run)}
      aria-label={`${armLabel(run.arm)} run ${run.number}: ${words[mark]}${doubt ? ', unverified' : ''}${late}`}
      title={late === '' ? undefined : 'timed out'}
    >
      {signs[mark]}
    </a>
  )
}
