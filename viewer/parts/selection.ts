/** j, k and the arrows move through a list, Enter opens; never while a person types. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { go } from '../route.ts'

/** The selected place; −1: none yet. `address`: what Enter opens. */
export function useSelection(size: number, address: (place: number) => string): number {
  const [selected, setSelected] = useState(-1)
  // read by the keys at once: two of them may come before the list is drawn again
  const now = useRef(-1)
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (isTyping(event)) return
      const step = steps.get(event.key)
      if (step !== undefined && size > 0) {
        event.preventDefault()
        now.current = Math.max(0, Math.min(size - 1, now.current + step))
        setSelected(now.current)
      } else if (event.key === 'Enter' && now.current >= 0 && now.current < size && event.target === document.body) {
        event.preventDefault()
        go(address(now.current))
      }
    }
    addEventListener('keydown', pressed)
    return () => removeEventListener('keydown', pressed)
  }, [size, address])
  return Math.min(selected, size - 1)
}

const steps = new Map([
  ['j', 1],
  ['ArrowDown', 1],
  ['k', -1],
  ['ArrowUp', -1],
])

export function isTyping(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey) return true
  const { target } = event
  return target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable], dialog') !== null
}
