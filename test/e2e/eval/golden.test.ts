/** The whole flow against golden files: what lies on disk after a demo, and what it says. Update with `npx vitest run -u test/e2e/golden`. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { runMain } from '../../cli/run_main.ts'
import { fresh } from '../program.ts'

let folder = ''
beforeAll(async () => {
  const workspace = path.join(fresh(), 'ws')
  const flags = ['--workspace', workspace, '--concurrency', '1', '--runs', '2', '--sandbox', 'off']
  const end = await runMain(['demo', ...flags])
  expect(end.code).toBe(0)
  const benchmarks = path.join(workspace, 'benchmarks')
  folder = path.join(benchmarks, readdirSync(benchmarks)[0] ?? '')
})

/** What differs between two demos of the same version: moments, durations, hashes, paths of the machine, random ids. */
function normal(text: string): string {
  return text
    .replaceAll(path.dirname(path.dirname(path.dirname(folder))), '<tmp>')
    .replaceAll(path.dirname(path.dirname(path.dirname(import.meta.dirname))), '<whetstone>')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d[:-]\d\d[:-]\d\d(\.\d+)?Z|\d{4}-\d\d-\d\d \d\d:\d\d UTC/g, '<time>')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uuid>')
    .replaceAll(/"[0-9a-f]{64}"/g, '"<sha256>"')
    .replaceAll(/("(?:engine_)?version": )"[^"]*"/g, '$1"<version>"')
    .replaceAll(/("(?:\w*(?:duration|seconds)\w*|time_seconds)": )-?[\d.]+/g, '$1"<duration>"')
    .replaceAll(/("time_seconds": )\{[^}]*\}/g, '$1"<durations>"')
    .replaceAll(/("time_seconds": )"[^"<]*"/g, '$1"<duration>"')
    .replaceAll(/[\d.]+× the time \(95% CI [^)]*\) and /g, '') // only a busy machine has this part of the note
    .replaceAll(/(adds|saves) [\d.]+ s|[\d.]+ s ± [\d.]+ s|[+-][\d.]+ s\b|\bsame time\b/g, '<duration>')
}

const golden = (name: string) => path.join(import.meta.dirname, 'golden', name)
const read = (name: string) => normal(readFileSync(path.join(folder, name), 'utf8'))

test('the files on disk', async () => {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
  await expect(`${files.sort().join('\n')}\n`).toMatchFileSnapshot(golden('files.txt'))
})

const run = 'eval-1-march-summary/with_skill/run-1'
test.each([
  ['plan.json', 'plan.json'],
  ['benchmark.json', 'benchmark.json'],
  ['benchmark.md', 'benchmark.md.txt'],
  ['eval-1-march-summary/eval_metadata.json', 'eval_metadata.json'],
  [`${run}/run.json`, 'run.json'],
  [`${run}/timing.json`, 'timing.json'],
  [`${run}/grading.json`, 'grading.json'],
  [`${run}/outputs/metrics.json`, 'metrics.json'],
  [`${run}/outputs/summary.md`, 'summary.md.txt'],
  [`${run}/transcript.md`, 'transcript.md.txt'],
])('%s', async (name, file) => {
  await expect(read(name)).toMatchFileSnapshot(golden(file))
})
