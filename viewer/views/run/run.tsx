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
import { Steps } from '../../parts/page/steps.tsx'
import { MarkButtons, MarksState } from '../../parts/run/agree_buttons.tsx'
import { VerdictList } from '../../parts/run/evidence.tsx'
import { RunMetrics } from '../../parts/run/metrics.tsx'
import { Note } from '../../parts/run/note.tsx'
import { hasPreviousRun } from '../../parts/run/previous_run.tsx'
import { RubricScores } from '../../parts/run/rubric.tsx'
import { amendRoute, type Route, routeLink } from '../../route.ts'
import { RunParts } from './run_parts.tsx'
import { RunTags, runAddress } from './run_row.tsx'

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
      {run.read === false && (
        <p class="banner">The agent did not read the skill: check that its description fits this prompt.</p>
      )}
      {run.message !== '' && <p class="banner text">{run.message}</p>}
      {problem !== undefined && <p class="banner">Not readable: {problem}</p>}
      <div class="columns">
        <section aria-labelledby="verdicts">
          <h2 id="verdicts">Verdicts</h2>
          {!evidence ? (
            <p class="empty">
              {evidence === undefined ? 'Reading…' : 'The verdicts can’t be read; the reason is above.'}
            </p>
          ) : (
            <>
              <VerdictList
                expectations={evidence.expectations}
                undecided={listUndecided(model, run, evidence)}
                detail={quotable}
                show={show}
                target={run.case.statements[Number(route.query.verdict) - 1]?.text ?? null}
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
                <a href={routeLink(route.path, { tab: 'previous' })}>Compare with the previous iteration</a>
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
  const [previous = null, next = null] = steps.map((one) => (one === undefined ? null : runAddress(model.run(one))))
  const outcome =
    !run.graded || (run.rate === 1 && run.undecided > 0) ? 'inconclusive' : run.rate === 1 ? 'pass' : 'fail'
  const passed = run.total === 0 ? `${Math.round(run.rate * 100)}%` : `${run.passed} of ${run.total} passed`
  return (
    <header class="lead">
      <p class="eyebrow">
        <a href="#/">Overview</a> ›{' '}
        <a href={routeLink(['case', run.case.eval_id])}>
          Case {run.case.eval_id} · <bdi>{run.case.eval_name}</bdi>
        </a>
      </p>
      <div class="section-head">
        <h1>
          <i class={`dot arm-${run.armIndex}`} />
          {revealHidden(displayArm(run.arm))}, run {run.number}{' '}
          <span class={`chip ${outcome}`}>{run.graded ? passed : statusText(run.status, model.page.running)}</span>{' '}
          <RunTags run={run} />
        </h1>
        <Steps what="run" previous={previous} next={next} />
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
