// The inner end of the bridge, started inside the sandbox: forward.mjs '[{"port":3128,"path":"/…"}]' program argument…
// Listens on loopback, pipes each connection to the socket file, and ends as the program ends.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'

const [sockets = '[]', program = '', ...args] = process.argv.slice(2)

function serve(one, place) {
  const other = connect({ path: place, allowHalfOpen: true })
  for (const [from, to] of [
    [one, other],
    [other, one],
  ]) {
    from.on('error', () => from.destroy())
    from.once('close', () => to.destroy())
    // with end: true, pipe() looks at process.stdout, and Node makes a stdout that it shares with the program non-blocking
    from.pipe(to, { end: false })
    from.once('end', () => to.end())
  }
}

for (const { port, path } of JSON.parse(sockets)) {
  for (const host of ['127.0.0.1', '::1']) {
    const server = createServer({ allowHalfOpen: true }, (socket) => serve(socket, path)).listen(port, host)
    await once(server, 'listening').catch((error) => {
      if (host === '127.0.0.1') throw error // a machine without IPv6 has only this one
    })
  }
}
const child = spawn(program, args, { stdio: 'inherit' })
child.once('error', (error) => {
  process.stderr.write(`${program}: ${error.message}\n`)
  process.exit(error.code === 'ENOENT' ? 127 : 126)
})
child.once('exit', (code, signal) => {
  if (signal === null) process.exit(code ?? 1)
  process.kill(process.pid, signal)
})
