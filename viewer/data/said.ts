/** How it went with what a reader said, told to all that shows it; and what is kept of it in the browser between two visits. */
import { useEffect, useState } from 'preact/hooks'
import type { Model } from './model.ts'

export class Status {
  text = ''
  readonly #hearers = new Set<() => void>()

  say(text: string): void {
    this.text = text
    for (const hearer of this.#hearers) hearer()
  }

  /** Draws again whenever something is said. */
  useRedraw(): void {
    const [, redraw] = useState(0)
    useEffect(() => {
      const hearer = () => redraw((number) => number + 1)
      this.#hearers.add(hearer)
      return () => void this.#hearers.delete(hearer)
    }, [])
  }
}

function keyOf(what: string, { page }: Model): string {
  const { skill_name, timestamp } = page.benchmark.metadata
  return `whetstone-${what}:${skill_name}:${timestamp}`
}

export function keepInBrowser(what: string, model: Model, all: readonly unknown[]): void {
  try {
    localStorage.setItem(keyOf(what, model), JSON.stringify(all))
  } catch {
    // a browser that keeps nothing for files: it lasts as long as the page
  }
}

export function keptInBrowser<T>(what: string, model: Model, is: (value: unknown) => value is T): T[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(keyOf(what, model)) ?? '[]')
    return Array.isArray(found) ? found.filter(is) : []
  } catch {
    return []
  }
}
