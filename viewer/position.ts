/** Where a reader was in each step of the history: scrolled to, selected, with the focus; Back and a reload lead there again. */

interface Position {
  top: number
  /** In the list of the view; −1: nothing. */
  selected: number
  /** The address of the link in the view that had the focus; '': none. */
  focus: string
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
  return kept.get(now.step) ?? { top: 0, selected: -1, focus: '' }
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
  addEventListener('focusin', ({ target }) => {
    const link = target instanceof HTMLElement ? target.closest('main a') : null
    keepPosition({ focus: link?.getAttribute('href') ?? '' })
  })
  addEventListener('pagehide', () => {
    try {
      sessionStorage.setItem(key, JSON.stringify([...kept].slice(-200)))
    } catch {
      // a browser that keeps nothing: a reload starts at the top
    }
  })
}

const moves = ['wheel', 'keydown', 'pointerdown', 'touchstart'] as const

/** Scrolls and gives the focus to where this step was left, again while the view grows; ends when it is reached or the reader moves. */
export function restore(_place: string): () => void {
  const { top, focus } = positionNow()
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

/** Gives the focus to the link of the view that leads there; false: it is not drawn yet. */
function refocus(address: string): boolean {
  const link = [...document.querySelectorAll<HTMLElement>('main a')].find((one) => one.getAttribute('href') === address)
  link?.focus({ preventScroll: true })
  return link !== undefined
}

function stored(): [string, Position][] {
  try {
    const found: unknown = JSON.parse(sessionStorage.getItem(key) ?? '[]')
    return Array.isArray(found) ? found : []
  } catch {
    return []
  }
}
