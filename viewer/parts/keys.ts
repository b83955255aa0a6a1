/** Keys of a view; never while a person types. */
import { useLayoutEffect } from 'preact/hooks'

/**
 * `pressed` hears every key from the moment the view is drawn. Before it is painted: a key that comes sooner would be
 * lost, or would act on the view before.
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
