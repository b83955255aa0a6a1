/** A part that folds out, by hand or by its address; what is in it is in the document while it is open. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

interface Props {
  summary: ComponentChildren
  /** Open without being asked for. */
  open?: boolean
  /** The address names it. */
  asked: boolean
  /** It was opened, or what the address names was closed. */
  ask(asked: boolean): void
  kind?: string
  children(): ComponentChildren
}

export function Fold({ summary, open = false, asked, ask, kind, children }: Props) {
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
    ask(now)
  }
  return (
    <details class={kind} ref={box} open={isOpen} onToggle={({ currentTarget }) => toggled(currentTarget.open)}>
      <summary>{summary}</summary>
      {isOpen && children()}
    </details>
  )
}
