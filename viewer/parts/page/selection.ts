/** Selects in a list: j, k and the arrows move, Enter opens; never while a person types. */
import { useRef, useState } from 'preact/hooks'
import { navigate } from '../../route.ts'
import { currentPosition, keepPosition } from '../../scroll_position.ts'
import { useKeys } from './keys.ts'

/** Returns the selected place; −1: none yet. `address`: what Enter opens. */
export function useSelection(size: number, address: (place: number) => string): number {
  const [selected, setSelected] = useState(() => currentPosition().selected)
  // the keys read it directly: two of them may come before the list is drawn again
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
      navigate(address(now.current))
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

/** Enter presses these itself, so the list leaves it alone. */
function isControl({ target }: KeyboardEvent): boolean {
  return target instanceof HTMLElement && target.closest('a, button, summary') !== null
}

/** A focused link would take the Enter for the selected row. */
function leaveLink(): void {
  const { activeElement } = document
  if (activeElement instanceof HTMLAnchorElement) activeElement.blur()
}
