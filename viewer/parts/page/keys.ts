/** Handles the keys of a view, but never while a person types. */
import { useLayoutEffect } from 'preact/hooks'

/**
 * `pressed` gets every key once the view is drawn. It listens before the paint: an earlier key would be lost or reach the previous view.
 */
export function useKeys(pressed: (event: KeyboardEvent) => void, inputs?: readonly unknown[]): void {
  useLayoutEffect(() => {
    const heard = (event: KeyboardEvent) => isTyping(event) || pressed(event)
    addEventListener('keydown', heard)
    return () => removeEventListener('keydown', heard)
  }, inputs)
}

function isTyping(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey) return true
  const { target } = event
  return target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable], dialog') !== null
}
