/** The view of one run: its verdicts with evidence linked to its place, its transcript, outputs and records. */
import { useEffect, useState } from 'preact/hooks'
import type { JudgeError } from '../../../schemas/grading.ts'
import type { EvidencePack, RunDetail } from '../../../schemas/page.ts'
import { loadDetail, loadEvidence } from '../../data/load_on_demand.ts'
import { columnEntry, type Model, type Run, toMark } from '../../data/model.ts'
import { placeQuery, toQuotable } from '../../data/quotes/quote_places.ts'
import type { QuotePlace } from '../../data/quotes/quotes.ts'
import { noteId } from '../../data/review/feedback.ts'
import { statusText } from '../../data/why_missing.ts'
import { displayArm, revealHidden } from '../../format.ts'
import { useKeys } from '../../parts/page/keys.ts'
import { MarkButtons, MarksState } from '../../parts/run/agree_buttons.tsx'
import { VerdictList } from '../../parts/run/evidence.tsx'
import { RunMetrics } from '../../parts/run/metrics.tsx'
import { Note } from '../../parts/run/note.tsx'
import { hasPreviousRun } from '../../parts/run/previous_run.tsx'
import { RubricScores } from '../../parts/run/rubric.tsx'
import { amendRoute, navigate, type Route, routeLink } from '../../route.ts'
import { RunParts } from './run_parts.tsx'
import { RunTags } from './runs.tsx'

export function RunView({ model, route }: { model: Model; route: Route }) {
  const [, id, arm = '', number] = route.path
  const index = model.find(Number(id), arm, Number(number))
  if (index < 0) {
    return (
      <p class="empty">
        There is no such run here. <a href="#/runs">To the runs</a>
      </p>
    )
  }
  return <OneRun key={index} model={model} run={model.run(index)} route={route} />
}

/** undefined: still loading; null: it can't be read. */
interface LoadedRun {
  evidence?: EvidencePack[number] | null
  detail?: RunDetail | null
  problem?: string
}

function useLoadedRun(model: Model, run: Run): LoadedRun {
  const [loaded, setLoaded] = useState<LoadedRun>({})
  useEffect(() => {
    let gone = false
    const add = (more: LoadedRun) => gone || setLoaded((old) => ({ ...old, ...more }))
    setLoaded(({ problem: _before, ...rest }) => rest)
    const without = (what: LoadedRun) => (error: unknown) =>
      add({ ...what, problem: error instanceof Error ? error.message : String(error) })
    if (run.graded) loadEvidence(model, run.index).then((evidence) => add({ evidence }), without({ evidence: null }))
    else add({ evidence: { expectations: [], notes: [] } })
    loadDetail(model, run.index).then((detail) => add({ detail }), without({ detail: null }))
    return () => {
      gone = true
    }
  }, [model, run.index, run.graded])
  return loaded
}

function OneRun({ model, run, route }: { model: Model; run: Run; route: Route }) {
  const { evidence, detail, problem } = useLoadedRun(model, run)
  const quotable = toQuotable(run, detail)
  const show = (place: QuotePlace, quote: string) => amendRoute(route, placeQuery(place, quote))
  return (
    <>
      <RunHead model={model} run={run} />
      {run.message !== '' && <p class="banner text">{run.message}</p>}
      {problem !== undefined && <p class="banner">Not to be read: {problem}</p>}
      <div class="columns">
        <section aria-labelledby="verdicts">
          <h2 id="verdicts">Verdicts</h2>
          {!evidence ? (
            <p class="empty">{evidence === undefined ? 'Reading…' : 'They can’t be read; it says why above.'}</p>
          ) : (
            <>
              <VerdictList
                expectations={evidence.expectations}
                undecided={listUndecided(model, run, evidence)}
                detail={quotable}
                show={show}
                below={({ text, passed }, index) => {
                  const id = evidence.ids?.[index]
                  return id && <MarkButtons model={model} one={{ id, run, text, passed }} />
                }}
              />
              {evidence.ids !== undefined && <MarksState model={model} />}
              {evidence.rubric !== undefined && <RubricScores rubric={evidence.rubric} detail={quotable} show={show} />}
              {otherNotes(evidence).length > 0 && (
                <ul class="notes">
                  {otherNotes(evidence).map((note) => (
                    <li key={note}>{note}</li>
                  ))}
                </ul>
              )}
            </>
          )}
          <Note model={model} id={noteId(run)}>
            {hasPreviousRun(model, run) && (
              <p>
                <a href={routeLink(route.path, { tab: 'previous' })}>Beside what it was in the iteration before</a>
              </p>
            )}
          </Note>
        </section>
        <RunParts model={model} run={run} detail={detail} route={route} />
      </div>
    </>
  )
}

/** Statements without a verdict, with the reason if it is known. */
function listUndecided({ page }: Model, run: Run, { undecided = [] }: EvidencePack[number]): JudgeError[] {
  const texts = columnEntry(page.cases, run.caseIndex).statements.filter(
    (_one, place) => toMark(run.marks[place]) === 'undecided',
  )
  return texts.map(({ text }) => ({
    text,
    reason: undecided.find((one) => one.text === text)?.reason ?? run.message,
  }))
}

/** Without the notes that are already with the statements. */
function otherNotes({ notes, undecided = [] }: EvidencePack[number]): string[] {
  const shown = new Set(undecided.map(({ text, reason }) => `Not decided: ${text} (${reason})`))
  return notes.filter((note) => !shown.has(note))
}

function RunHead({ model, run }: { model: Model; run: Run }) {
  const own = model.ofCase(run.caseIndex)
  const place = own.indexOf(run.index)
  // the links lead past the ends of a case, so that a reader can go through all runs
  const steps = [
    own[place - 1] ?? findNeighbour(model, run.caseIndex, -1),
    own[place + 1] ?? findNeighbour(model, run.caseIndex, 1),
  ]
  const [before, after] = steps.map((one) => (one === undefined ? null : address(model, one)))
  useKeys(
    ({ key }) => {
      if (key === '[' && before) navigate(before)
      if (key === ']' && after) navigate(after)
    },
    [before, after],
  )
  const outcome =
    !run.graded || (run.rate === 1 && run.undecided > 0) ? 'inconclusive' : run.rate === 1 ? 'pass' : 'fail'
  const met = run.total === 0 ? `${Math.round(run.rate * 100)}%` : `${run.passed} of ${run.total} met`
  return (
    <header class="lead">
      <p class="eyebrow">
        <a href={routeLink(['case', run.case.eval_id])}>
          Case {run.case.eval_id} · <bdi>{run.case.eval_name}</bdi>
        </a>
      </p>
      <div class="section-head">
        <h1>
          <i class={`dot arm-${run.armIndex}`} />
          {revealHidden(displayArm(run.arm))}, run {run.number}{' '}
          <span class={`chip ${outcome}`}>{run.graded ? met : statusText(run.status, model.page.running)}</span>{' '}
          <RunTags run={run} />
        </h1>
        <span class="chips">
          {before && (
            <a class="button" href={before}>
              ← before
            </a>
          )}
          {after && (
            <a class="button" href={after}>
              after →
            </a>
          )}
        </span>
      </div>
      <RunMetrics run={run} />
    </header>
  )
}

/** The last run of the previous case with runs, or the first of the next one. */
function findNeighbour(model: Model, caseIndex: number, step: 1 | -1): number | undefined {
  for (let at = caseIndex + step; at >= 0 && at < model.page.cases.length; at += step) {
    const runs = model.ofCase(at)
    if (runs.length > 0) return runs.at(step === 1 ? 0 : -1)
  }
  return undefined
}

function address(model: Model, index: number): string {
  const run = model.run(index)
  return routeLink(['run', run.case.eval_id, run.arm, run.number])
}
