/** A section that opens by hand or by its address; its content is in the document only while it is open. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

interface Props {
  summary: ComponentChildren
  /** Open from the start. */
  open?: boolean
  /** The address names it; absent: no address does. */
  asked?: boolean
  /** Called when it is opened, or closed while the address names it. */
  ask?(asked: boolean): void
  kind?: string
  children(): ComponentChildren
}

export function Fold({ summary, open = false, asked = false, ask, kind, children }: Props) {
  const box = useRef<HTMLDetailsElement>(null)
  const [isOpen, setOpen] = useState(open || asked)
  const byHand = useRef(false)
  useEffect(() => {
    if (asked && !byHand.current) {
      setOpen(true)
      box.current?.scrollIntoView({ block: 'start' })
    }
    byHand.current = false
  }, [asked])
  const toggled = (now: boolean) => {
    if (now === isOpen) return
    setOpen(now)
    if (now === asked) return
    byHand.current = now
    ask?.(now)
  }
  return (
    <details class={kind} ref={box} open={isOpen} onToggle={({ currentTarget }) => toggled(currentTarget.open)}>
      <summary>{summary}</summary>
      {isOpen && children()}
    </details>
  )
}
