// A worker whose command engine answers within its own process: what is left of a run is what Whetstone itself does.
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from './shared.mjs'

const dist = (file) => import(pathToFileURL(path.join(root, 'dist/src', file)).href)
const { command } = await dist('engines/command.js')
const { complete } = await dist('engines/outcome.js')
const { emptyReport } = await dist('engines/engine.js')
command.run = async (task, context) => {
  context.signal.throwIfAborted()
  return complete(
    context,
    { ...emptyReport, finalResponse: `ready: ${task.prompt}`, exitCode: 0, stopReason: 'exit' },
    1,
  )
}
const { main } = await dist('cli/main.js')
process.exitCode = await main(process.argv.slice(2))
