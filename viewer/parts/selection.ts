/** j, k and the arrows move through a list, Enter opens; never while a person types. */
import { useRef, useState } from 'preact/hooks'
import { keepPosition, positionNow } from '../position.ts'
import { go } from '../route.ts'
import { useKeys } from './keys.ts'

/** The selected place; −1: none yet. `address`: what Enter opens. */
export function useSelection(size: number, address: (place: number) => string): number {
  const [selected, setSelected] = useState(() => positionNow().selected)
  // read by the keys at once: two of them may come before the list is drawn again
  const now = useRef(selected)
  const pressed = (event: KeyboardEvent) => {
    const step = steps.get(event.key)
    if (step !== undefined && size > 0) {
      event.preventDefault()
      leaveLink()
      now.current = Math.max(0, Math.min(size - 1, now.current + step))
      setSelected(now.current)
      keepPosition({ selected: now.current })
    } else if (event.key === 'Enter' && now.current >= 0 && now.current < size && !isControl(event)) {
      event.preventDefault()
      go(address(now.current))
    }
  }
  useKeys(pressed, [size, address])
  return Math.min(selected, size - 1)
}

const steps = new Map([
  ['j', 1],
  ['ArrowDown', 1],
  ['k', -1],
  ['ArrowUp', -1],
])

/** What Enter itself presses: it is left to do so. */
function isControl({ target }: KeyboardEvent): boolean {
  return target instanceof HTMLElement && target.closest('a, button, summary') !== null
}

/** A link with the focus would take the Enter that is meant for what is selected. */
function leaveLink(): void {
  const { activeElement } = document
  if (activeElement instanceof HTMLAnchorElement) activeElement.blur()
}
