/** A list of any length; of a long one only the visible rows are in the document. The height of each row is known before it is drawn. */
import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'

interface Props {
  /** Of each row, in px. The list measures again when this is another array. */
  heights: readonly number[]
  label: string
  /** Kept visible. */
  selected?: number
  row(index: number): ComponentChildren
}

const margin = 8
/** So many rows are always in the document, for the browser's own search and for printing; more only on paper. */
const whole = 200
const printable = 500

export function WindowedList({ heights, label, selected = -1, row }: Props) {
  const count = heights.length
  const tops = useMemo(() => sumUp(heights), [heights])
  const box = useRef<HTMLUListElement>(null)
  const [range, setRange] = useState({ from: 0, to: count <= whole ? count : 40 })
  useLayoutEffect(() => {
    const measure = () => {
      const top = box.current?.getBoundingClientRect().top ?? 0
      const all = count <= (matchMedia('print').matches ? printable : whole)
      const from = all ? 0 : Math.max(0, countRowsAbove(tops, -top) - margin)
      const to = all ? count : Math.min(count, countRowsAbove(tops, innerHeight - top) + 1 + margin)
      setRange((old) => (old.from === from && old.to === to ? old : { from, to: Math.max(from, to) }))
    }
    measure()
    const events = ['scroll', 'resize', 'beforeprint', 'afterprint'] as const
    for (const name of events) addEventListener(name, measure, { passive: true })
    return () => {
      for (const name of events) removeEventListener(name, measure)
    }
  }, [count, tops])
  // a list that is drawn with a selection stays at the reader's position
  const before = useRef(selected)
  useEffect(() => {
    if (selected === before.current || selected < 0 || box.current === null) return
    before.current = selected
    const start = box.current.getBoundingClientRect().top
    const [top, bottom] = [start + (tops[selected] ?? 0), start + (tops[selected + 1] ?? 0)]
    const header = 120
    if (top < header) scrollBy({ top: top - header })
    else if (bottom > innerHeight) scrollBy({ top: bottom - innerHeight + 16 })
  }, [selected, tops])
  const indices = Array.from({ length: Math.max(0, Math.min(range.to, count) - range.from) }, (_, i) => range.from + i)
  return (
    <ul class="windowed" ref={box} aria-label={label} style={{ height: `${tops.at(-1)}px` }}>
      {indices.map((index) => (
        <li
          key={index}
          aria-setsize={count}
          aria-posinset={index + 1}
          style={{ height: `${heights[index]}px`, transform: `translateY(${tops[index]}px)` }}
        >
          {row(index)}
        </li>
      ))}
    </ul>
  )
}

/** The top of each row, and the end of the last one. */
function sumUp(heights: readonly number[]): number[] {
  const tops = [0]
  for (const height of heights) tops.push((tops.at(-1) ?? 0) + height)
  return tops
}

/** How many rows end above this place. */
function countRowsAbove(tops: readonly number[], place: number): number {
  const first = tops.findIndex((top) => top > place)
  return Math.max(0, (first < 0 ? tops.length : first) - 1)
}

/** Whether the page is narrow: lists then stack their columns. */
export function useNarrow(): boolean {
  const query = '(max-width: 46rem)'
  const [narrow, setNarrow] = useState(() => matchMedia(query).matches)
  useEffect(() => {
    const media = matchMedia(query)
    const changed = () => setNarrow(media.matches)
    media.addEventListener('change', changed)
    return () => media.removeEventListener('change', changed)
  }, [])
  return narrow
}
