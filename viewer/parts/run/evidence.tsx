/** Lists the verdicts of a run: each statement with its evidence, and each quote as a link to its place. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { GradedExpectation, JudgeError } from '../../../schemas/grading.ts'
import { findProvedParts, type Proof } from '../../data/quotes/quote_places.ts'
import type { Quotable, QuotePlace } from '../../data/quotes/quotes.ts'
import { displayScore } from '../../format.ts'
import { currentPosition } from '../../scroll_position.ts'
import { CodeSpans } from '../content/code_spans.tsx'
import { VerifierTests } from './verifier_tests.tsx'

interface Props {
  expectations: readonly GradedExpectation[]
  /** Statements without a verdict. */
  undecided: readonly JudgeError[]
  detail: Quotable | null
  show(place: QuotePlace, quote: string): void
  /** The statement whose verdict the address names; null: none. */
  target: string | null
  /** Content below a verdict. */
  below?(one: GradedExpectation, index: number): ComponentChildren
}

export function VerdictList({ expectations, undecided, detail, show, target, below }: Props) {
  const targetItem = useRef<HTMLLIElement>(null)
  useEffect(() => {
    // a reader who comes back stays at the last position
    if (currentPosition().top > 0) return
    targetItem.current?.scrollIntoView({ block: 'start' })
    targetItem.current?.focus({ preventScroll: true })
  }, [target])
  const first = expectations.findIndex(({ text }) => text === target)
  const asTarget = { ref: targetItem, tabIndex: -1, 'aria-current': true } as const
  if (expectations.length + undecided.length === 0) return <p class="empty">No verdict.</p>
  return (
    <ol class="verdicts">
      {expectations.map((one, index) => (
        <li
          key={`${index}`}
          class={one.passed ? 'pass' : 'fail'}
          id={`expectation-${index + 1}`}
          {...(index === first && asTarget)}
        >
          <p class="statement">
            <span class="sign" role="img" aria-label={one.passed ? 'passed' : 'failed'}>
              {one.passed ? '✓' : '✗'}
            </span>
            <span>
              <CodeSpans text={one.text} /> <Tags one={one} />
            </span>
          </p>
          {one.evidence !== '' && <EvidenceText one={one} detail={detail} show={show} />}
          {one.tests !== undefined && <VerifierTests tests={one.tests} />}
          {below?.(one, index)}
        </li>
      ))}
      {undecided.map(({ text, reason }) => (
        <li key={text} class="undecided" {...(text === target && asTarget)}>
          <p class="statement">
            <span class="sign" role="img" aria-label="undecided">
              ?
            </span>
            <span>
              <CodeSpans text={text} /> <em class="tag warn">undecided</em>
            </span>
          </p>
          {reason !== '' && <div class="text evidence">{reason}</div>}
        </li>
      ))}
    </ol>
  )
}

export function Tags({ one }: { one: GradedExpectation }) {
  const votes = one.votes as { passed: number; failed: number } | undefined
  return (
    <>
      {one.decided_by !== undefined && one.decided_by !== 'timeout' && <em class="tag">{one.decided_by}</em>}{' '}
      {one.turn !== undefined && <em class="tag">about answer {one.turn}</em>}{' '}
      {one.derived === true && <em class="tag">derived</em>} {one.indicator === true && <em class="tag">indicator</em>}{' '}
      {one.diagnostic === true && <em class="tag">diagnostic: excluded from the pass rate</em>}{' '}
      {one.score !== undefined && <em class="tag">score {displayScore(one.score)}</em>}{' '}
      {one.weight !== undefined && <em class="tag">weight {one.weight}</em>}{' '}
      {votes !== undefined && (
        <em class="tag">
          {votes.passed} : {votes.failed} votes
        </em>
      )}{' '}
      {one.evidence_verified === 'absent' && <em class="tag bad">unverified: the quote was not found</em>}{' '}
      {one.evidence_verified === 'claim' && <em class="tag bad">claim, not evidence</em>}
    </>
  )
}

interface EvidenceProps extends Pick<Props, 'detail' | 'show'> {
  one: Proof & { evidence_flag?: string | undefined }
}

export function EvidenceText({ one, detail, show }: EvidenceProps) {
  return (
    <div class="text evidence">
      {findProvedParts(one, detail).map(({ text, quote, place }, index) =>
        place === null || quote === null ? (
          text
        ) : (
          <button
            key={`${index}`}
            type="button"
            class="quote"
            title={place.tab === 'transcript' ? 'in the transcript' : `in ${place.file}`}
            onClick={() => show(place, quote)}
          >
            {text}
          </button>
        ),
      )}
      {one.evidence_flag !== undefined && <p class="hint">{one.evidence_flag}</p>}
    </div>
  )
}
