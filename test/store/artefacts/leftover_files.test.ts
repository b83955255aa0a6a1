/** What a process left that was killed before a rename is gone after the next command that works on the benchmark; nobody else's is. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { readOwnerState, tempSiblingName } from '../../../src/base/fs/durable_files.ts'
import { removeLeftFiles } from '../../../src/flows/workspace/benchmark_lock.ts'
import { runMain, tidyAgent } from '../../cli/run_main.ts'
import { fresh, makeSkill } from '../../e2e/program.ts'

/** Names for this place that a process gave which was killed with SIGKILL after it had written there. */
async function leftBy(place: string, what: 'file' | 'folder' = 'file'): Promise<string> {
  const script = `import { tempSiblingName } from '${path.resolve('dist/src/base/fs/durable_files.js')}'
    import { mkdirSync, writeFileSync } from 'node:fs'
    const name = tempSiblingName('${place}')
    ${what === 'file' ? "writeFileSync(name, 'half')" : "mkdirSync(name + '/deep', { recursive: true })"}
    console.log(name)
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [name] = await once(child.stdout.setEncoding('utf8'), 'data')
  child.kill('SIGKILL')
  await once(child, 'exit')
  return String(name).trim()
}

test('those of a dead owner go, of a living one and of an agent stay', async () => {
  const folder = fresh()
  const run = path.join(folder, 'eval-1-a/with_skill/run-1')
  mkdirSync(path.join(run, 'outputs'), { recursive: true })
  const dead = [
    await leftBy(path.join(folder, 'benchmark.json')),
    await leftBy(path.join(run, 'grading.json')),
    await leftBy(path.join(folder, 'evals'), 'folder'),
  ]
  const living = tempSiblingName(path.join(run, 'grading.json'))
  const agents = path.join(run, 'outputs', path.basename(dead[1] ?? ''))
  const own = path.join(folder, '.notes.tmp')
  for (const file of [living, agents, own]) writeFileSync(file, 'x')
  await removeLeftFiles(folder)
  expect(dead.filter((one) => existsSync(one))).toEqual([])
  expect([living, agents, own].filter((one) => existsSync(one))).toEqual([living, agents, own])
})

test('one of another machine, or of an earlier version, goes once it is old, in the folder of a run at once', async () => {
  const folder = fresh()
  const names = ['.grading.json.00000000-1-2-0123456789ab.1.tmp', '.grading.json.0123456789ab.7.tmp']
  const run = path.join(folder, 'eval-1-a/with_skill/run-1')
  mkdirSync(run, { recursive: true })
  for (const name of names) for (const place of [folder, run]) writeFileSync(path.join(place, name), 'half')
  expect(await Promise.all(names.map(readOwnerState))).toEqual(['unknown', 'unknown'])
  await removeLeftFiles(folder)
  expect(readdirSync(folder).sort()).toEqual([...names, 'eval-1-a'].sort())
  expect(readdirSync(run)).toEqual([])
  for (const name of names) utimesSync(path.join(folder, name), new Date(0), new Date(0))
  await removeLeftFiles(folder)
  expect(readdirSync(folder)).toEqual(['eval-1-a'])
})

test('after a kill between write and rename: grade leaves no temporary file, and read none', async () => {
  const workspace = path.join(fresh(), 'ws')
  const skill = makeSkill([{ id: 1, prompt: 'say it', checks: [{ type: 'contains', value: 'TIDY' }] }])
  const flags = ['--engine', tidyAgent, '--runs', '1', '--sandbox', 'off', '--workspace', workspace]
  const first = await runMain(['bench', skill, ...flags])
  expect(first.code, first.stderr).toBe(0)
  const folder = path.join(workspace, 'benchmarks', readdirSync(path.join(workspace, 'benchmarks'))[0] ?? '')
  const temporary = () =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.tmp'))
  const grading = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((name) =>
    name.endsWith('grading.json'),
  )
  const before = readFileSync(path.join(folder, grading ?? ''), 'utf8')
  await leftBy(path.join(folder, grading ?? ''))
  expect(temporary()).toHaveLength(1) // control: nothing else removes it
  const graded = await runMain(['grade', folder])
  expect(graded.code, graded.stderr).toBe(0)
  expect(graded.stderr).not.toContain('damaged')
  expect(temporary()).toEqual([])
  expect(JSON.parse(readFileSync(path.join(folder, grading ?? ''), 'utf8')).summary).toEqual(JSON.parse(before).summary)
})
