/** Where a reader was in each step of the history: scrolled to, selected; Back and a reload lead there again. */

interface Position {
  top: number
  /** In the list of the view; −1: nothing. */
  selected: number
}

const key = 'whetstone-positions'
const kept = new Map<string, Position>(stored())
const now = { step: '', made: 0 }

/** The step that the reader is in, as its entry in the history names it. */
function step(): string {
  const { state } = history
  if (typeof state === 'string') return state
  now.made += 1
  const made = `${Date.now().toString(36)}-${now.made}`
  history.replaceState(made, '')
  return made
}

export function positionNow(): Position {
  return kept.get(now.step) ?? { top: 0, selected: -1 }
}

export function keepPosition(change: Partial<Position>): void {
  kept.set(now.step, { ...positionNow(), ...change })
}

/** Before anything is drawn. The browser itself would scroll too soon, when the view is not there yet. */
export function keepPositions(): void {
  history.scrollRestoration = 'manual'
  now.step = step()
  addEventListener('hashchange', () => {
    now.step = step()
  })
  addEventListener('scroll', () => keepPosition({ top: scrollY }), { passive: true })
  addEventListener('pagehide', () => {
    try {
      sessionStorage.setItem(key, JSON.stringify([...kept].slice(-200)))
    } catch {
      // a browser that keeps nothing: a reload starts at the top
    }
  })
}

const moves = ['wheel', 'keydown', 'pointerdown', 'touchstart'] as const

/** Scrolls to where this step was left, again while the view grows; ends when it is reached or the reader moves. */
export function restore(_place: string): () => void {
  const { top } = positionNow()
  scrollTo(0, top)
  const end = new AbortController()
  const observer = new ResizeObserver(() => {
    scrollTo(0, top)
    if (scrollY >= top - 1) end.abort()
  })
  end.signal.addEventListener('abort', () => observer.disconnect())
  if (scrollY < top - 1) {
    observer.observe(document.body)
    for (const name of moves) addEventListener(name, () => end.abort(), { signal: end.signal, passive: true })
  }
  return () => end.abort()
}

function stored(): [string, Position][] {
  try {
    const found: unknown = JSON.parse(sessionStorage.getItem(key) ?? '[]')
    return Array.isArray(found) ? found : []
  } catch {
    return []
  }
}
