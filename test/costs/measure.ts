/** Vitest's setup file: measures what each test file spends its time on; `report_costs.ts` reads the lines it leaves in the temporary folder. */
import type { ChildProcess } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { appendFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'

/** Seconds of one test file by what took them. `waiting` is the rest: nothing was computed here and no child was alive. */
export interface Costs {
  computing: number
  program: number
  browser: number
  sandbox: number
  server: number
  other_child: number
  waiting: number
}

type Kind = Exclude<keyof Costs, 'computing' | 'waiting'>
type Span = { kind: Kind; from: number; to: number | null }

const kinds: readonly (readonly [RegExp, Kind])[] = [
  [/^(node|whetstone)/, 'program'],
  [/^chrom/, 'browser'],
  [/^bwrap/, 'sandbox'],
  [/^(redis|postgres|initdb|pg_|psql)/, 'server'],
]

const folder = tmpdir()
let spans: Span[] = []
let start = { at: 0, cpu: process.cpuUsage() }

function noteChild(message: unknown): void {
  const { process: child } = message as { process: ChildProcess }
  child.once('spawn', () => {
    const name = path.basename(child.spawnfile ?? '')
    const kind = kinds.find(([pattern]) => pattern.test(name))?.[1] ?? 'other_child'
    const span: Span = { kind, from: performance.now(), to: null }
    spans.push(span)
    child.once('exit', () => {
      span.to = performance.now()
    })
  })
}

beforeAll(() => {
  spans = []
  start = { at: performance.now(), cpu: process.cpuUsage() }
  subscribe('child_process', noteChild)
})

afterAll(() => {
  unsubscribe('child_process', noteChild)
  const now = performance.now()
  const cpu = process.cpuUsage(start.cpu)
  const computing = (cpu.user + cpu.system) / 1e6
  const ofKind = (kind: Kind) =>
    sumSpans(
      spans.filter((one) => one.kind === kind),
      now,
    )
  const costs: Costs = {
    computing,
    program: ofKind('program'),
    browser: ofKind('browser'),
    sandbox: ofKind('sandbox'),
    server: ofKind('server'),
    other_child: ofKind('other_child'),
    waiting: Math.max(0, (now - start.at) / 1000 - computing - sumSpans(spans, now)),
  }
  const line = JSON.stringify({ file: expect.getState().testPath, costs })
  appendFileSync(path.join(folder, 'costs.jsonl'), `${line}\n`)
})

/** Seconds in which at least one child was alive. */
function sumSpans(all: readonly Span[], now: number): number {
  let [sum, end] = [0, 0]
  for (const { from, to } of all.toSorted((a, b) => a.from - b.from)) {
    const last = to ?? now
    sum += Math.max(0, last - Math.max(from, end))
    end = Math.max(end, last)
  }
  return sum / 1000
}
