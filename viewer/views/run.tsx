/** One run: its verdicts with the evidence linked to where it stands, its transcript, its outputs, its records. */
import { useEffect, useState } from 'preact/hooks'
import type { JudgeError } from '../../schemas/grading.ts'
import type { EvidencePack, RunDetail } from '../../schemas/page.ts'
import { noteOf } from '../data/feedback.ts'
import { detailOf, evidenceOf } from '../data/load.ts'
import { at, type Model, markOf, type Run } from '../data/model.ts'
import { queryOf, quotableOf } from '../data/proof.ts'
import type { Place } from '../data/quotes.ts'
import { statusText } from '../data/why.ts'
import { Verdicts } from '../parts/evidence.tsx'
import { useKeys } from '../parts/keys.ts'
import { Mark, MarksState } from '../parts/mark.tsx'
import { Metrics } from '../parts/metrics.tsx'
import { Note } from '../parts/note.tsx'
import { hasBefore } from '../parts/previous.tsx'
import { Rubric } from '../parts/rubric.tsx'
import { amend, go, link, type Route } from '../route.ts'
import { armLabel, visible } from '../words.ts'
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

/** undefined: on its way; null: it can't be read. */
interface Loaded {
  evidence?: EvidencePack[number] | null
  detail?: RunDetail | null
  problem?: string
}

function useLoaded(model: Model, run: Run): Loaded {
  const [loaded, setLoaded] = useState<Loaded>({})
  useEffect(() => {
    let gone = false
    const add = (more: Loaded) => gone || setLoaded((old) => ({ ...old, ...more }))
    setLoaded(({ problem: _before, ...rest }) => rest)
    const without = (what: Loaded) => (error: unknown) =>
      add({ ...what, problem: error instanceof Error ? error.message : String(error) })
    if (run.graded) evidenceOf(model, run.index).then((evidence) => add({ evidence }), without({ evidence: null }))
    else add({ evidence: { expectations: [], notes: [] } })
    detailOf(model, run.index).then((detail) => add({ detail }), without({ detail: null }))
    return () => {
      gone = true
    }
  }, [model, run.index, run.graded])
  return loaded
}

function OneRun({ model, run, route }: { model: Model; run: Run; route: Route }) {
  const { evidence, detail, problem } = useLoaded(model, run)
  const quotable = quotableOf(run, detail)
  const show = (place: Place, quote: string) => amend(route, queryOf(place, quote))
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
              <Verdicts
                expectations={evidence.expectations}
                undecided={openIn(model, run, evidence)}
                detail={quotable}
                show={show}
                below={({ text, passed }, index) => {
                  const id = evidence.ids?.[index]
                  return id && <Mark model={model} one={{ id, run, text, passed }} />
                }}
              />
              {evidence.ids !== undefined && <MarksState model={model} />}
              {evidence.rubric !== undefined && <Rubric rubric={evidence.rubric} detail={quotable} show={show} />}
              {notesOf(evidence).length > 0 && (
                <ul class="notes">
                  {notesOf(evidence).map((note) => (
                    <li key={note}>{note}</li>
                  ))}
                </ul>
              )}
            </>
          )}
          <Note model={model} id={noteOf(run)}>
            {hasBefore(model, run) && (
              <p>
                <a href={link(route.path, { tab: 'previous' })}>Beside what it was in the iteration before</a>
              </p>
            )}
          </Note>
        </section>
        <RunParts model={model} run={run} detail={detail} route={route} />
      </div>
    </>
  )
}

/** Statements without a verdict, with the reason where it is known. */
function openIn({ page }: Model, run: Run, { undecided = [] }: EvidencePack[number]): JudgeError[] {
  const texts = at(page.cases, run.caseIndex).statements.filter(
    (_one, place) => markOf(run.marks[place]) === 'undecided',
  )
  return texts.map(({ text }) => ({
    text,
    reason: undecided.find((one) => one.text === text)?.reason ?? run.message,
  }))
}

/** Without those that stand with the statements already. */
function notesOf({ notes, undecided = [] }: EvidencePack[number]): string[] {
  const shown = new Set(undecided.map(({ text, reason }) => `Not decided: ${text} (${reason})`))
  return notes.filter((note) => !shown.has(note))
}

function RunHead({ model, run }: { model: Model; run: Run }) {
  const own = model.ofCase(run.caseIndex)
  const place = own.indexOf(run.index)
  // at an end of the case the way leads on: a reader who goes through all runs needs no other
  const steps = [own[place - 1] ?? beside(model, run.caseIndex, -1), own[place + 1] ?? beside(model, run.caseIndex, 1)]
  const [before, after] = steps.map((one) => (one === undefined ? null : address(model, one)))
  useKeys(
    ({ key }) => {
      if (key === '[' && before) go(before)
      if (key === ']' && after) go(after)
    },
    [before, after],
  )
  const outcome =
    !run.graded || (run.rate === 1 && run.undecided > 0) ? 'inconclusive' : run.rate === 1 ? 'pass' : 'fail'
  const met = run.total === 0 ? `${Math.round(run.rate * 100)}%` : `${run.passed} of ${run.total} met`
  return (
    <header class="lead">
      <p class="eyebrow">
        <a href={link(['case', run.case.eval_id])}>
          Case {run.case.eval_id} · <bdi>{run.case.eval_name}</bdi>
        </a>
      </p>
      <div class="section-head">
        <h1>
          <i class={`dot arm-${run.armIndex}`} />
          {visible(armLabel(run.arm))}, run {run.number}{' '}
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
      <Metrics run={run} />
    </header>
  )
}

/** The last run of the case before that has one, the first of the case after. */
function beside(model: Model, caseIndex: number, step: 1 | -1): number | undefined {
  for (let at = caseIndex + step; at >= 0 && at < model.page.cases.length; at += step) {
    const runs = model.ofCase(at)
    if (runs.length > 0) return runs.at(step === 1 ? 0 : -1)
  }
  return undefined
}

function address(model: Model, index: number): string {
  const run = model.run(index)
  return link(['run', run.case.eval_id, run.arm, run.number])
}
