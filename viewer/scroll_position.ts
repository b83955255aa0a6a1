/** The reader's position in each step of the history: scroll, selection, focus. Back and a reload restore it. */

interface Position {
  top: number
  /** In the list of the view; −1: nothing. */
  selected: number
  /** The address of the focused link in the view; '': none. */
  focus: string
}

const key = 'whetstone-positions'
const keptPositions = new Map<string, Position>(readStoredPositions())
const currentStep = { step: '', made: 0 }

/** The id of the current step, as its history entry names it. */
function step(): string {
  const { state } = history
  if (typeof state === 'string') return state
  currentStep.made += 1
  const made = `${Date.now().toString(36)}-${currentStep.made}`
  history.replaceState(made, '')
  return made
}

export function currentPosition(): Position {
  return keptPositions.get(currentStep.step) ?? { top: 0, selected: -1, focus: '' }
}

export function keepPosition(change: Partial<Position>): void {
  keptPositions.set(currentStep.step, { ...currentPosition(), ...change })
}

/** Must run before anything is drawn: the browser would scroll by itself before the view exists. */
export function keepPositions(): void {
  history.scrollRestoration = 'manual'
  currentStep.step = step()
  addEventListener('hashchange', () => {
    currentStep.step = step()
  })
  addEventListener('scroll', () => keepPosition({ top: scrollY }), { passive: true })
  addEventListener('focusin', ({ target }) => {
    const link = target instanceof HTMLElement ? target.closest('main a') : null
    keepPosition({ focus: link?.getAttribute('href') ?? '' })
  })
  addEventListener('pagehide', () => {
    try {
      sessionStorage.setItem(key, JSON.stringify([...keptPositions].slice(-200)))
    } catch {
      // some browsers store nothing: a reload starts at the top
    }
  })
}

const moves = ['wheel', 'keydown', 'pointerdown', 'touchstart'] as const

/** Restores scroll and focus of this step, and again while the view grows; ends when both are reached or the reader moves. */
export function restorePosition(_place: string): () => void {
  const { top, focus } = currentPosition()
  const end = new AbortController()
  const reached = () => {
    scrollTo(0, top)
    const isFocused = focus === '' || refocus(focus)
    return scrollY >= top - 1 && isFocused
  }
  if (reached()) return () => {}
  const observer = new ResizeObserver(() => reached() && end.abort())
  end.signal.addEventListener('abort', () => observer.disconnect())
  observer.observe(document.body)
  for (const name of moves) addEventListener(name, () => end.abort(), { signal: end.signal, passive: true })
  return () => end.abort()
}

/** Focuses the view's link with this address; false: it is not drawn yet. */
function refocus(address: string): boolean {
  const link = [...document.querySelectorAll<HTMLElement>('main a')].find((one) => one.getAttribute('href') === address)
  link?.focus({ preventScroll: true })
  return link !== undefined
}

function readStoredPositions(): [string, Position][] {
  try {
    const found: unknown = JSON.parse(sessionStorage.getItem(key) ?? '[]')
    return Array.isArray(found) ? found : []
  } catch {
    return []
  }
}
