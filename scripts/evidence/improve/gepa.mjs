// GEPA on the simulated world: its own package decides in a Python process, which asks for runs and proposals line by line.
import { spawn } from 'node:child_process'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { InputError } from '../rows.mjs'
import { fewCases } from './parameters.mjs'

/** `python`: a Python in which `import gepa` works. `play` is a contestant, `close` ends the process. */
export function startGepa(python) {
  const child = spawn(python, [path.join(import.meta.dirname, 'gepa_bridge.py')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const failed = new Promise((_, reject) => child.once('error', reject))
  // a process that ended is noticed when it is read
  failed.catch(() => {})
  child.stdin.on('error', () => {})
  const write = (value) => child.stdin.write(`${JSON.stringify(value)}\n`)

  async function read() {
    const { value, done } = await Promise.race([lines.next(), failed]).catch(() => ({ done: true }))
    if (done)
      throw new InputError(`--gepa: "${python}" ended early: it must be a Python in which \`import gepa\` works`)
    return JSON.parse(value)
  }

  /**
   * Defaults of gepa.optimize(): Pareto selection, minibatches of 3, strict improvement, all validation cases. Half the cases are for
   * training; a small suite is both, as GEPA does without a valset. Its budget stops it before an iteration, not within.
   */
  async function play(session) {
    const { cases, budget } = session
    const half = Math.floor(cases.length / 2)
    const isSmall = cases.length < fewCases
    const [train, validation] = isSmall ? [cases, null] : [cases.slice(0, half), cases.slice(half)]
    const edits = new Map()
    const versionOf = (ids) => ids.map((id) => edits.get(id))
    write({ train, validation, budget, seed: Math.floor(session.random() * 2 ** 31) })
    for (;;) {
      const request = await read()
      if (request.ships !== undefined) return versionOf(request.ships)
      if (request.evaluate !== undefined) {
        const version = versionOf(request.evaluate.edits)
        write(request.evaluate.cases.map((at) => session.run(version, at)))
      } else {
        const proposed = session.propose(request.propose.seen, request.propose.failed)
        for (const edit of proposed) edits.set(edit.id, edit)
        write(proposed.map(({ id }) => id))
      }
    }
  }

  return { play, close: () => child.stdin.end() }
}
