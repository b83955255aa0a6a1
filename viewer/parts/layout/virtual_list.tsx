/** A list of any length with only its visible rows in the document. All rows have the same height. */
import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

interface Props {
  count: number
  /** Of a row, in px. */
  height: number
  label: string
  /** Kept visible. */
  selected?: number
  row(index: number): ComponentChildren
}

const margin = 8
const printable = 500

export function WindowedList({ count, height, label, selected = -1, row }: Props) {
  const box = useRef<HTMLUListElement>(null)
  const [range, setRange] = useState({ from: 0, to: 40 })
  useLayoutEffect(() => {
    const measure = () => {
      const top = box.current?.getBoundingClientRect().top ?? 0
      const all = matchMedia('print').matches && count <= printable
      const from = all ? 0 : Math.max(0, Math.floor(-top / height) - margin)
      const to = all ? count : Math.min(count, Math.ceil((innerHeight - top) / height) + margin)
      setRange((old) => (old.from === from && old.to === to ? old : { from, to: Math.max(from, to) }))
    }
    measure()
    const events = ['scroll', 'resize', 'beforeprint', 'afterprint'] as const
    for (const name of events) addEventListener(name, measure, { passive: true })
    return () => {
      for (const name of events) removeEventListener(name, measure)
    }
  }, [count, height])
  // a list that is drawn with a selection stays at the reader's position
  const before = useRef(selected)
  useEffect(() => {
    if (selected === before.current || selected < 0 || box.current === null) return
    before.current = selected
    const top = box.current.getBoundingClientRect().top + selected * height
    const header = 120
    if (top < header) scrollBy({ top: top - header })
    else if (top + height > innerHeight) scrollBy({ top: top + height - innerHeight + 16 })
  }, [selected, height])
  const indices = Array.from({ length: Math.max(0, Math.min(range.to, count) - range.from) }, (_, i) => range.from + i)
  return (
    <ul class="windowed" ref={box} aria-label={label} style={{ height: `${count * height}px` }}>
      {indices.map((index) => (
        <li
          key={index}
          aria-setsize={count}
          aria-posinset={index + 1}
          style={{ height: `${height}px`, transform: `translateY(${index * height}px)` }}
        >
          {row(index)}
        </li>
      ))}
    </ul>
  )
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
