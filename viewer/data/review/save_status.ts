/** The save status of notes and labels, and their copy in the browser between two visits. */
import { useEffect, useState } from 'preact/hooks'
import type { Model } from '../model.ts'

export class Status {
  text = ''
  readonly #hearers = new Set<() => void>()

  say(text: string): void {
    this.text = text
    for (const hearer of this.#hearers) hearer()
  }

  /** Redraws when the status changes. */
  useRedraw(): void {
    const [, redraw] = useState(0)
    useEffect(() => {
      const hearer = () => redraw((number) => number + 1)
      this.#hearers.add(hearer)
      return () => void this.#hearers.delete(hearer)
    }, [])
  }
}

function storageKey(what: string, { page }: Model): string {
  const { skill_name, timestamp } = page.benchmark.metadata
  return `whetstone-${what}:${skill_name}:${timestamp}`
}

export function keepInBrowser(what: string, model: Model, all: readonly unknown[]): void {
  try {
    localStorage.setItem(storageKey(what, model), JSON.stringify(all))
  } catch {
    // some browsers store nothing for files: the text lasts as long as the page
  }
}

export function readFromBrowser<T>(what: string, model: Model, is: (value: unknown) => value is T): T[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(storageKey(what, model)) ?? '[]')
    return Array.isArray(found) ? found.filter(is) : []
  } catch {
    return []
  }
}
