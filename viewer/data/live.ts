/** A served page draws itself anew when runs come in; never under a person who is typing. */
import { isServed } from './feedback.ts'

export function listen(): void {
  if (!isServed) return
  const source = new EventSource('events')
  source.onmessage = () => {
    const typing = document.activeElement?.closest('textarea, input') ?? null
    if (typing === null) return location.reload()
    typing.addEventListener('blur', () => location.reload(), { once: true })
  }
}
