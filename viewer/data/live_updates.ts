/** Adds new runs to a served page while it is read: nothing scrolls, closes or loses its input. */
import type { Page } from '../../schemas/page.ts'
import { replaceEmbedded } from './load_on_demand.ts'
import { createModel, type Model } from './model.ts'
import { isServed } from './review/send_or_save.ts'
import { parseVisible, unpack } from './unpack.ts'

const hearers = new Set<(lost: boolean) => void>()

/** `hearer` gets whether the server is gone. */
export function onLost(hearer: (lost: boolean) => void): () => void {
  hearers.add(hearer)
  return () => void hearers.delete(hearer)
}

const keepers = new Set<(path: string, body: string) => void>()

/** `keeper` gets what any open page saves: the path and the body. */
export function onKept(keeper: (path: string, body: string) => void): void {
  keepers.add(keeper)
}

/** `draw` gets the current page after each change. */
export function listenForUpdates(draw: (model: Model) => void): void {
  if (!isServed) return
  const source = new EventSource('events')
  const state = { busy: false, again: false, shown: document.documentElement.dataset.state }
  const changed = async () => {
    if (state.busy) {
      state.again = true
      return
    }
    state.busy = true
    state.shown = await takeUpdate(draw).catch(() => {
      say(true)
      return undefined
    })
    state.busy = false
    if (state.again) {
      state.again = false
      await changed()
    }
  }
  // the server sends its state on connect too, so that no change before it or during a lost connection is missed
  source.onmessage = ({ data }) => {
    if (data !== state.shown || state.busy) void changed()
  }
  source.addEventListener('kept', ({ data }) => {
    const { path, body }: { path: string; body: string } = JSON.parse(data)
    for (const keeper of keepers) keeper(path, body)
  })
  source.onerror = () => say(true)
  source.onopen = () => say(false)
}

function say(lost: boolean): void {
  for (const hearer of hearers) hearer(lost)
}

const carriedPattern = /<script type="text\/plain" data-key="([^"]+)">([A-Za-z0-9+/=]*)<\/script>/g

/** Returns the server state that it took in. */
async function takeUpdate(draw: (model: Model) => void): Promise<string | undefined> {
  const answer = await fetch('./', { cache: 'no-store' })
  if (!answer.ok) throw new Error(`${answer.status}`)
  const text = await answer.text()
  const found = new Map([...text.matchAll(carriedPattern)].map(([, key = '', data = '']) => [key, data]))
  const page = parseVisible<Page>(await unpack(found.get('page') ?? ''))
  found.delete('page')
  replaceEmbedded(found)
  draw(createModel(page))
  return /<html data-state="([\w.]+)"/.exec(text)?.[1]
}
