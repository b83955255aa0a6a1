/** Vitest's reporter of what the test files cost: the ten slowest, or all with WHETSTONE_COSTS=all, and the sum by kind of cost. */

import { existsSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'
import type { Costs } from './measure.ts'

const most = process.env.WHETSTONE_COSTS === 'all' ? Number.POSITIVE_INFINITY : 10

export default class ReportCosts implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    if (modules.length < 2) return
    const measured = readCosts()
    const rows = modules
      .map((one) => ({ name: one.relativeModuleId, ms: one.diagnostic().duration, costs: measured.get(one.moduleId) }))
      .sort((a, b) => b.ms - a.ms)
    console.log(`\nThe slowest test files, in seconds:`)
    for (const { name, ms, costs } of rows.slice(0, most)) {
      console.log(`${seconds(ms / 1000)}  ${name}${costs === undefined ? '' : `  (${describe(costs)})`}`)
    }
    const sums = sum(rows.flatMap(({ costs }) => costs ?? []))
    console.log(
      `${seconds(rows.reduce((all, { ms }) => all + ms / 1000, 0))}  all ${rows.length} files  (${describe(sums)})`,
    )
  }
}

function readCosts(): Map<string, Costs> {
  const file = path.join(tmpdir(), 'costs.jsonl')
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
  return new Map(lines.map((line) => JSON.parse(line)).map(({ file: name, costs }) => [name, costs]))
}

function describe(costs: Partial<Costs>): string {
  return Object.entries(costs)
    .filter(([, value]) => value >= 0.05)
    .sort(([, a], [, b]) => b - a)
    .map(([kind, value]) => `${kind.replace('_', ' ')} ${value.toFixed(1)}`)
    .join(', ')
}

function sum(all: readonly Costs[]): Partial<Costs> {
  const sums: Record<string, number> = {}
  for (const costs of all) for (const [kind, value] of Object.entries(costs)) sums[kind] = (sums[kind] ?? 0) + value
  return sums
}

const seconds = (value: number) => value.toFixed(1).padStart(8)
