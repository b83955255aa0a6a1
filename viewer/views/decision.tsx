/** One decision of the judge as a person needs it to agree or not: statement, verdict, evidence, answer, task. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { GradedExpectation } from '../../schemas/grading.ts'
import type { PageDrawn, RunDetail } from '../../schemas/page.ts'
import { answerOf } from '../data/answer.ts'
import { detailOf, evidenceOf } from '../data/load.ts'
import { at, type Model, markOf, type Run } from '../data/model.ts'
import { queryOf, quotableOf } from '../data/proof.ts'
import { whyNoAnswer } from '../data/why.ts'
import { Bounded } from '../parts/bounded.tsx'
import { Evidence, Tags } from '../parts/evidence.tsx'
import { Mark } from '../parts/mark.tsx'
import { Text } from '../parts/text.tsx'
import { go, link } from '../route.ts'
import { armLabel, visible } from '../words.ts'

interface Props {
  model: Model
  drawn: PageDrawn
  selected: boolean
  /** The address asks for it. */
  asked: boolean
}

export function DecisionCard({ model, drawn, selected, asked }: Props) {
  const run = model.run(drawn.run)
  const box = useRef<HTMLElement>(null)
  const { graded, detail } = useDecision(model, run, drawn.id)
  useEffect(() => {
    if (asked || selected) box.current?.scrollIntoView({ block: selected ? 'nearest' : 'start' })
  }, [asked, selected])
  const passed = markOf(run.marks[drawn.statement]) === 'pass'
  const { text } = at(run.case.statements, drawn.statement)
  const place = ['run', run.case.eval_id, run.arm, run.number]
  return (
    <article ref={box} class={`card decision ${selected ? 'selected' : ''}`} aria-current={selected ? true : undefined}>
      <p class="hint">
        <i class={`dot arm-${run.armIndex}`} />
        <a href={link(place)}>
          Case {run.case.eval_id} · <bdi>{run.case.eval_name}</bdi> · {visible(armLabel(run.arm))}, run {run.number}
        </a>
      </p>
      <h3>
        <bdi>{text}</bdi>
      </h3>
      <p>
        The judge says <span class={`chip ${passed ? 'pass' : 'fail'}`}>{passed ? 'met' : 'not met'}</span>{' '}
        {graded && <Tags one={graded} />}
      </p>
      {graded && graded.evidence !== '' && (
        <Evidence
          one={graded}
          detail={quotableOf(run, detail)}
          show={(spot, quote) => go(link(place, queryOf(spot, quote)))}
        />
      )}
      <Mark model={model} one={{ id: drawn.id, run, text, passed }} />
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
  const text = answerOf(detail) ?? ''
  const files = detail?.outputs ?? []
  return (
    <>
      {text.trim() === '' ? (
        <p class="hint">{visible(whyNoAnswer(run, detail))}</p>
      ) : (
        <Bounded>
          <Text text={text} />
        </Bounded>
      )}
      {files.length > 0 && (
        <p class="hint">
          Files:{' '}
          {files.slice(0, 12).map(({ path }, index) => (
            <>
              {index > 0 && ', '}
              <a href={link(['run', run.case.eval_id, run.arm, run.number], { tab: 'outputs', file: path })}>
                <bdi>{visible(path)}</bdi>
              </a>
            </>
          ))}
        </p>
      )}
    </>
  )
}

interface Found {
  graded?: GradedExpectation | undefined
  /** undefined: on its way; null: the page has none. */
  detail?: RunDetail | null
}

function useDecision(model: Model, run: Run, id: string): Found {
  const [found, setFound] = useState<Found>({})
  useEffect(() => {
    let gone = false
    const add = (more: Found) => gone || setFound((old) => ({ ...old, ...more }))
    evidenceOf(model, run.index).then(
      ({ expectations, ids = [] }) => add({ graded: expectations[ids.indexOf(id)] }),
      () => {},
    )
    detailOf(model, run.index).then(
      (detail) => add({ detail }),
      () => add({ detail: null }),
    )
    return () => {
      gone = true
    }
  }, [model, run.index, id])
  return found
}
