/** A workspace with four benchmarks of one skill: three finished ones (two of them copies), and the newest, interrupted one. */
import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { planClean } from '../../../src/flows/clean/clean.ts'
import type { CleanRequest } from '../../../src/flows/clean/clean_request.ts'
import type { FlowContext } from '../../../src/flows/flow_context.ts'
import { unpackEarlierWorkspace } from '../../e2e/earlier_workspace.ts'

const never = new AbortController().signal
export const context: FlowContext = {
  emit: () => {},
  env: {},
  drain: never,
  signal: never,
  now: () => new Date('2026-12-01T00:00:00Z'),
}

export const day = 86_400_000

export function cleanWorkspace() {
  const { folder, workspace: name, listBenchmarks } = unpackEarlierWorkspace()
  const workspace = path.join(folder, name)
  const [finished = ''] = listBenchmarks()
  const at = (stamp: string, kind = 'benchmarks') => path.join(workspace, kind, stamp)
  const copy = (stamp: string, kind = 'benchmarks') => {
    cpSync(path.join(folder, finished), at(stamp, kind), { recursive: true })
    return at(stamp, kind)
  }
  copy('2026-01-01T00-00-00Z')
  copy('2026-02-01T00-00-00Z')
  const write = (file: string, value: unknown) => {
    mkdirSync(path.dirname(path.join(workspace, file)), { recursive: true })
    writeFileSync(path.join(workspace, file), typeof value === 'string' ? value : JSON.stringify(value))
  }
  const list = (kind = 'benchmarks') => readdirSync(path.join(workspace, kind)).sort()
  const plan = (changes: Partial<CleanRequest> = {}) =>
    planClean({ places: [workspace], folders: null, transcripts: null, cache: null, temp: false, ...changes }, context)
  /** What is chosen, and what is kept and why, by names of folders. */
  const chosen = async (changes: Partial<CleanRequest>) => {
    const { report } = await plan(changes)
    const names = report.removals.map((one) => path.basename(one.path))
    return { names, kept: Object.fromEntries(report.kept.map((one) => [path.basename(one.path), one.reason])) }
  }
  return { folder, workspace, finished: path.join(folder, finished), at, copy, write, list, plan, chosen }
}
