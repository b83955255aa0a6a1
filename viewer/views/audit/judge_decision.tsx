/** One decision of the judge with all that a person needs to check it: statement, verdict, evidence, answer, task. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { GradedExpectation } from '../../../schemas/grading.ts'
import type { PageDrawn, RunDetail } from '../../../schemas/page.ts'
import { finalAnswer } from '../../data/answer.ts'
import { loadDetail, loadEvidence } from '../../data/load_on_demand.ts'
import { columnEntry, type Model, type Run, toMark } from '../../data/model.ts'
import { placeQuery, toQuotable } from '../../data/quotes/quote_places.ts'
import { whyNoAnswer } from '../../data/why_missing.ts'
import { displayArm, revealHidden } from '../../format.ts'
import { CodeSpans } from '../../parts/content/code_spans.tsx'
import { Text } from '../../parts/content/text.tsx'
import { BoundedBox } from '../../parts/layout/scroll_box.tsx'
import { MarkButtons } from '../../parts/run/agree_buttons.tsx'
import { EvidenceText, Tags } from '../../parts/run/evidence.tsx'
import { navigate, routeLink } from '../../route.ts'

interface Props {
  model: Model
  drawn: PageDrawn
  selected: boolean
  /** The address names it. */
  asked: boolean
}

export function DecisionCard({ model, drawn, selected, asked }: Props) {
  const run = model.run(drawn.run)
  const box = useRef<HTMLElement>(null)
  const { graded, detail } = useDecision(model, run, drawn.id)
  useEffect(() => {
    if (asked || selected) box.current?.scrollIntoView({ block: selected ? 'nearest' : 'start' })
  }, [asked, selected])
  const passed = toMark(run.marks[drawn.statement]) === 'pass'
  const { text } = columnEntry(run.case.statements, drawn.statement)
  const place = ['run', run.case.eval_id, run.arm, run.number]
  return (
    <article ref={box} class={`card decision ${selected ? 'selected' : ''}`} aria-current={selected ? true : undefined}>
      <p class="hint">
        <i class={`dot arm-${run.armIndex}`} />
        <a href={routeLink(place)}>
          Case {run.case.eval_id} · <bdi>{run.case.eval_name}</bdi> · {revealHidden(displayArm(run.arm))}, run{' '}
          {run.number}
        </a>
      </p>
      <h3>
        <CodeSpans text={text} />
      </h3>
      <p>
        The judge says <span class={`chip ${passed ? 'pass' : 'fail'}`}>{passed ? 'passed' : 'failed'}</span>{' '}
        {graded && <Tags one={graded} />}
      </p>
      {graded && graded.evidence !== '' && (
        <EvidenceText
          one={graded}
          detail={toQuotable(run, detail)}
          show={(spot, quote) => navigate(routeLink(place, placeQuery(spot, quote)))}
        />
      )}
      <MarkButtons model={model} one={{ id: drawn.id, run, text, passed }} />
      <h4>The answer</h4>
      {detail === undefined ? <p class="empty">Reading…</p> : <Answer run={run} detail={detail} />}
      {run.case.prompt !== null && (
        <details>
          <summary>The task</summary>
          <Text text={run.case.prompt} />
        </details>
      )}
    </article>
  )
}

function Answer({ run, detail }: { run: Run; detail: RunDetail | null }) {
  const text = finalAnswer(detail) ?? ''
  const files = detail?.outputs ?? []
  return (
    <>
      {text.trim() === '' ? (
        <p class="hint">{revealHidden(whyNoAnswer(run, detail))}</p>
      ) : (
        <BoundedBox>
          <Text text={text} />
        </BoundedBox>
      )}
      {files.length > 0 && (
        <p class="hint">
          Files:{' '}
          {files.slice(0, 12).map(({ path }, index) => (
            <>
              {index > 0 && ', '}
              <a href={routeLink(['run', run.case.eval_id, run.arm, run.number], { tab: 'outputs', file: path })}>
                <bdi>{revealHidden(path)}</bdi>
              </a>
            </>
          ))}
        </p>
      )}
    </>
  )
}

interface DecisionState {
  graded?: GradedExpectation | undefined
  /** undefined: still loading; null: the page has none. */
  detail?: RunDetail | null
}

function useDecision(model: Model, run: Run, id: string): DecisionState {
  const [found, setFound] = useState<DecisionState>({})
  useEffect(() => {
    let gone = false
    const add = (more: DecisionState) => gone || setFound((old) => ({ ...old, ...more }))
    loadEvidence(model, run.index).then(
      ({ expectations, ids = [] }) => add({ graded: expectations[ids.indexOf(id)] }),
      () => {},
    )
    loadDetail(model, run.index).then(
      (detail) => add({ detail }),
      () => add({ detail: null }),
    )
    return () => {
      gone = true
    }
  }, [model, run.index, id])
  return found
}
