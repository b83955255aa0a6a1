/** Starts the page: unpacks its data and draws the view in the address. */
import { render } from 'preact'
import type { Page } from '../schemas/page.ts'
import { App } from './app.tsx'
import { listenForUpdates } from './data/live_updates.ts'
import { takeEmbedded } from './data/load_on_demand.ts'
import { createModel, type Model } from './data/model.ts'
import { parseVisible, unpack } from './data/unpack.ts'
import { keepPositions } from './scroll_position.ts'

const root = document.getElementById('app')

async function start(target: HTMLElement): Promise<void> {
  const page = parseVisible<Page>(await unpack(takeEmbedded('page') ?? ''))
  target.textContent = ''
  const draw = (model: Model) => render(<App model={model} />, target)
  keepPositions()
  draw(createModel(page))
  document.documentElement.dataset.ready = 'yes'
  performance.mark('ready')
  listenForUpdates(draw)
}

if (root !== null) {
  start(root).catch((error: unknown) => {
    root.textContent = `This page could not be read: ${error instanceof Error ? error.message : String(error)}`
  })
}
