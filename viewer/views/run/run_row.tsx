/** A run in the list of runs: its row, the names of the columns, and the tags that qualify its rate. */
import { isUnverified, type Model, type Run, toMark } from '../../data/model.ts'
import { statusText } from '../../data/why_missing.ts'
import { displayArm, displayCount, displayDollars, displayPercent, displaySeconds } from '../../format.ts'
import { routeLink } from '../../route.ts'

/** `verdict`: opens the run at the verdict on this statement of the case, counted from 1. */
export function runAddress(run: Run, verdict?: number): string {
  return routeLink(['run', run.case.eval_id, run.arm, run.number], { verdict: verdict?.toString() })
}

/** The names of the columns, and what the marks of a run mean. */
export function RunListHead() {
  return (
    <>
      <div class="row run-head head" aria-hidden="true">
        <span>case</span>
        <span>configuration, run</span>
        <span>pass rate</span>
        <span>expectations, checks</span>
        <span class="num">time</span>
        <span class="num">tokens</span>
        <span class="num">cost</span>
      </div>
      <p class="legend" aria-hidden="true">
        <span class="marks">
          <i class="pass" /> passed
        </span>
        <span class="marks">
          <i class="fail" /> failed
        </span>
        <span class="marks">
          <i class="undecided" /> undecided
        </span>
        <span class="marks">
          <i class="pass doubt" /> quote not found
        </span>
      </p>
    </>
  )
}

export function RunRow({ model, run, selected }: { model: Model; run: Run; selected: boolean }) {
  return (
    <a class={`row run-row ${selected ? 'selected' : ''}`} href={runAddress(run)}>
      <span class="name">
        <b>{run.case.eval_id}</b> <bdi>{run.case.eval_name}</bdi>
      </span>
      <span class="arm">
        <i class={`dot arm-${run.armIndex}`} />
        {displayArm(run.arm)} {run.number}
      </span>
      {run.graded ? (
        <>
          <span>
            <strong class={run.rate < 1 ? 'worse' : run.undecided > 0 ? '' : 'better'}>
              {displayPercent(run.rate)}
            </strong>{' '}
            {run.total > 0 && (
              <small>
                {run.passed} of {run.total}
              </small>
            )}{' '}
            {run.read === false && <em class="tag warn">skill not read</em>} <RunTags run={run} />
          </span>
          <Marks marks={run.marks} />
          <span class="num optional">{run.seconds === null ? '–' : displaySeconds(run.seconds)}</span>
          <span class="num optional">{run.tokens === null ? '–' : displayCount(run.tokens)}</span>
          <span class="num optional">{run.cost === null ? '–' : displayDollars(run.cost)}</span>
        </>
      ) : (
        <>
          <strong>{statusText(run.status, model.page.running)}</strong>
          <span class="message">{run.message}</span>
        </>
      )}
    </a>
  )
}

/** Tags that qualify the rate of a run. */
export function RunTags({ run }: { run: Run }) {
  return (
    <>
      {run.timedOut && <em class="tag bad">timed out</em>} {run.suspicious && <em class="tag bad">suspicious</em>}{' '}
      {run.askedUser && <em class="tag warn">asked the user</em>}{' '}
      {run.graded && run.undecided > 0 && <em class="tag warn">{undecidedText(run)}</em>}
    </>
  )
}

/** "1 of 2 undecided". */
function undecidedText({ undecided, total }: { undecided: number; total: number }): string {
  return `${undecided} of ${total + undecided} undecided`
}

const mostMarks = 14

function Marks({ marks }: { marks: string }) {
  const signs = [...marks].slice(0, mostMarks)
  const open = signs.filter((sign) => toMark(sign) === 'undecided').length
  const passed = signs.filter((sign) => toMark(sign) === 'pass').length
  return (
    <span class="marks" role="img" aria-label={`${passed} passed${open > 0 ? `, ${open} undecided` : ''}`}>
      {signs.map((sign, index) => (
        <i key={`${index}`} class={`${toMark(sign)} ${isUnverified(sign) ? 'doubt' : ''}`} />
      ))}
      {marks.length > mostMarks && <small>+{marks.length - mostMarks}</small>}
    </span>
  )
}
