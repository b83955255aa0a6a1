/** Starts the page: unpacks its data and draws the view that the address asks for. */
import { render } from 'preact'
import type { Page } from '../schemas/page.ts'
import { App } from './app.tsx'
import { listen } from './data/live.ts'
import { embedded } from './data/load.ts'
import { type Model, modelOf } from './data/model.ts'
import { parseVisible, unpack } from './data/unpack.ts'
import { keepPositions } from './position.ts'

const root = document.getElementById('app')

async function start(target: HTMLElement): Promise<void> {
  const page = parseVisible<Page>(await unpack(embedded('page') ?? ''))
  target.textContent = ''
  const draw = (model: Model) => render(<App model={model} />, target)
  keepPositions()
  draw(modelOf(page))
  document.documentElement.dataset.ready = 'yes'
  performance.mark('ready')
  listen(draw)
}

if (root !== null) {
  start(root).catch((error: unknown) => {
    root.textContent = `This page could not be read: ${error instanceof Error ? error.message : String(error)}`
  })
}
