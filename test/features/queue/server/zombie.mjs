// A worker that takes one job of a queue and holds it until it hears that its lock is lost.
// argv: URL, queue, timing as JSON, by how many milliseconds its clock is ahead.
import path from 'node:path'

const dist = path.join(import.meta.dirname, '../../../../dist')
const { openTransport } = await import(path.join(dist, 'src/features/queue/server/open.js'))
const { resolveQueueAddress } = await import(path.join(dist, 'src/features/queue/server/address.js'))
const [url, queue, timing, ahead = '0'] = process.argv.slice(2)
const now = Date.now
Date.now = () => now() + Number(ahead)
const transport = await openTransport(
  resolveQueueAddress({ url, caFile: null, passwordFile: null, env: {} }),
  JSON.parse(timing),
)
await transport.work(queue, {
  atOnce: 1,
  onTrouble: () => {},
  async handle({ signal }) {
    console.log('began')
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
    console.log(`told: ${signal.reason.name}`)
    return 'too late'
  },
})
