/** Shows a run's text as text only: hidden characters as codes, matches marked, the end of long texts on request. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { type CharacterSpan, quotePattern } from '../../data/quotes/quotes.ts'
import { displayCount, revealHidden } from '../../format.ts'

interface Props {
  text: string
  /** What to mark; empty: nothing. */
  mark?: string
  /** Marks only this; null: every match of `mark`. */
  span?: CharacterSpan | null
  /** Scrolls to the first mark. */
  follow?: boolean
  code?: boolean
}

const most = 40_000
const mostMarks = 40

export function Text({ text, mark = '', span = null, follow = false, code = true }: Props) {
  const [asked, setWhole] = useState(false)
  const box = useRef<HTMLElement>(null)
  const { start = 0, end = 0 } = span ?? {}
  const whole = asked || end > most
  const shown = whole ? text : text.slice(0, most)
  const parts = useMemo(
    () => (end > start ? cut(shown, { start, end }) : split(revealHidden(shown), mark)),
    [shown, mark, start, end],
  )
  useEffect(() => {
    if (follow && mark !== '') box.current?.querySelector('mark')?.scrollIntoView({ block: 'center' })
  }, [follow, mark, start])
  const Tag = code ? 'pre' : 'div'
  return (
    <>
      {/* a long text scrolls in its box, so the keyboard must reach it */}
      <Tag class="text" tabIndex={code ? 0 : undefined} ref={box as never}>
        {parts.map((part, index) => (index % 2 === 1 ? <mark key={`${index}`}>{part}</mark> : part))}
      </Tag>
      {!whole && text.length > most && (
        <p>
          <button type="button" onClick={() => setWhole(true)}>
            Show {displayCount(text.length - most)} more characters
          </button>
        </p>
      )}
    </>
  )
}

function cut(text: string, { start, end }: CharacterSpan): string[] {
  return [text.slice(0, start), text.slice(start, end), text.slice(end)].map(revealHidden)
}

/** Every second part is a match. */
function split(text: string, mark: string): string[] {
  const wanted = mark === '' ? null : quotePattern(revealHidden(mark))
  if (wanted === null) return [text]
  const parts: string[] = []
  let from = 0
  for (const hit of text.matchAll(wanted)) {
    if (parts.length >= 2 * mostMarks) break
    parts.push(text.slice(from, hit.index), hit[0])
    from = hit.index + hit[0].length
  }
  return [...parts, text.slice(from)]
}
