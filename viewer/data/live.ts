/** A served page takes new runs in under its reader: nothing is scrolled, closed or typed away. */
import type { Page } from '../../schemas/page.ts'
import { replaceEmbedded } from './load.ts'
import { type Model, modelOf } from './model.ts'
import { isServed } from './out.ts'
import { parseVisible, unpack } from './unpack.ts'

const hearers = new Set<(lost: boolean) => void>()

/** Told whether the server is gone. */
export function onLost(hearer: (lost: boolean) => void): () => void {
  hearers.add(hearer)
  return () => void hearers.delete(hearer)
}

const keepers = new Set<(path: string, body: string) => void>()

/** Told what any open page has saved: where, and what it sent. */
export function onKept(keeper: (path: string, body: string) => void): void {
  keepers.add(keeper)
}

/** `draw` gets the page as it is now, each time something changed. */
export function listen(draw: (model: Model) => void): void {
  if (!isServed) return
  const source = new EventSource('events')
  const state = { busy: false, again: false, shown: document.documentElement.dataset.state }
  const changed = async () => {
    if (state.busy) {
      state.again = true
      return
    }
    state.busy = true
    state.shown = await takeIn(draw).catch(() => {
      say(true)
      return undefined
    })
    state.busy = false
    if (state.again) {
      state.again = false
      await changed()
    }
  }
  // the server tells its state at once too: what changed before it was listened to, or while the line was cut, is not missed
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

const carried = /<script type="text\/plain" data-key="([^"]+)">([A-Za-z0-9+/=]*)<\/script>/g

/** Gives the state of the server that it took in. */
async function takeIn(draw: (model: Model) => void): Promise<string | undefined> {
  const answer = await fetch('./', { cache: 'no-store' })
  if (!answer.ok) throw new Error(`${answer.status}`)
  const text = await answer.text()
  const found = new Map([...text.matchAll(carried)].map(([, key = '', data = '']) => [key, data]))
  const page = parseVisible<Page>(await unpack(found.get('page') ?? ''))
  found.delete('page')
  replaceEmbedded(found)
  draw(modelOf(page))
  return /<html data-state="([\w.]+)"/.exec(text)?.[1]
}
