/** What a judge may not see of a benchmark on disk: its workspace, and nothing beside a folder that lies elsewhere. */
import { mkdirSync, mkdtempSync, realpathSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import type { Plan } from '../../../schemas/plan.ts'
import { listBenchmarkHiddenPaths } from '../../../src/flows/sandbox/start_sandbox.ts'

const plan = { skill: { path: '/s/tidy' }, suite: { path: '/s/tidy/evals/evals.json' } } as Plan // only what is read of it
const stamp = '2026-01-15T10-30-00Z'

function hiddenIn(...names: string[]) {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), 'hidden-')))
  const folder = path.join(root, ...names)
  mkdirSync(folder, { recursive: true })
  symlinkSync(folder, path.join(root, 'latest'))
  const last = (place: string) => path.relative(root, listBenchmarkHiddenPaths(plan, place).at(-1) ?? '')
  return [last(folder), last(path.join(root, 'latest'))]
}

test.each<[string, string[], string]>([
  ['a benchmark of a workspace: all of the workspace', ['ws', 'benchmarks', stamp], 'ws'],
  ['a second one of the same moment', ['ws', 'benchmarks', `${stamp}-2`], 'ws'],
  ['a calibration', ['ws', 'calibrations', stamp], 'ws'],
  ['a copy: the copy alone', ['mine', 'copies', 'fcopy'], 'mine/copies/fcopy'],
  ['a copy under its own name', ['mine', 'copies', stamp], `mine/copies/${stamp}`],
  ['a folder of another name among benchmarks', ['mine', 'benchmarks', 'old'], 'mine/benchmarks/old'],
])('%s', (_what, names, hidden) => expect(hiddenIn(...names)).toEqual([hidden, hidden]))
