/** A box of limited height for long content: it scrolls, and shows everything on request. */
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'

interface Props {
  children: ComponentChildren
}

export function BoundedBox({ children }: Props) {
  const box = useRef<HTMLDivElement>(null)
  const [isLong, setLong] = useState(false)
  const [whole, setWhole] = useState(false)
  useLayoutEffect(() => {
    const element = box.current
    if (element === null || whole) return
    const measure = () => setLong(element.scrollHeight > element.clientHeight + 2)
    measure()
    const observer = new ResizeObserver(measure)
    for (const one of [element, ...element.children]) observer.observe(one)
    return () => observer.disconnect()
  }, [whole])
  return (
    <>
      {/* a box that scrolls takes the focus, so that the keyboard can scroll it */}
      <div class={`bounded ${whole ? 'whole' : ''}`} ref={box} tabIndex={isLong && !whole ? 0 : undefined}>
        <div>{children}</div>
      </div>
      {isLong && (
        <p>
          <button type="button" aria-expanded={whole} onClick={() => setWhole(!whole)}>
            {whole ? 'Show less' : 'Show all'}
          </button>
        </p>
      )}
    </>
  )
}
