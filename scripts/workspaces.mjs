// Aggregates every workspace below a folder and compares with the benchmark.json that lies in it: `npm run workspaces -- DIR`.
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { aggregateAgain } from '../dist/src/index.js'

const root = path.resolve(process.argv[2] ?? '')
if (process.argv[2] === undefined || !existsSync(root)) {
  console.error('usage: npm run workspaces -- DIR, a folder of workspaces (never modified)')
  process.exit(2)
}

const folders = readdirSync(root, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isDirectory() || entry.name === 'benchmark.json')
  .flatMap((entry) => (entry.isDirectory() ? path.join(entry.parentPath, entry.name) : entry.parentPath))
const isTree = (folder) =>
  existsSync(path.join(folder, 'benchmark.json')) || /^iteration-\d+$/.test(path.basename(folder))
const trees = [...new Set(folders.filter(isTree))].sort()
const without = readdirSync(root).filter(
  (name) => !trees.some((tree) => tree.startsWith(path.join(root, name) + path.sep)),
)

const context = {
  emit: () => {},
  env: {},
  drain: new AbortController().signal,
  signal: new AbortController().signal,
  now: () => new Date(0),
}
const tally = { equal: 0, explained: 0, unexplained: 0, 'nothing to compare': 0, refused: 0 }

for (const tree of [...trees, ...without.map((name) => path.join(root, name))]) {
  const copy = mkdtempSync(path.join(tmpdir(), 'workspace-'))
  cpSync(tree, copy, { recursive: true })
  try {
    const { benchmark } = await aggregateAgain(
      { folder: copy, candidate: null, baseline: null, force: false, agentskills: null },
      context,
    )
    const notes = benchmark.notes.filter((note) => note.startsWith('The benchmark.json found here'))
    const others = benchmark.notes.filter((note) =>
      /^Left out|here twice|do not say|excluded from every number/.test(note),
    )
    const verdict = !existsSync(path.join(tree, 'benchmark.json'))
      ? 'nothing to compare'
      : notes.some((note) => note.includes('says the same'))
        ? 'equal'
        : notes.some((note) => note.includes('nothing to compare'))
          ? 'nothing to compare'
          : notes.some((note) => note.includes('for no reason'))
            ? 'unexplained'
            : 'explained'
    tally[verdict] += 1
    const { used, planned } = benchmark.counts
    console.log(
      `${path.relative(root, tree)}: ${verdict}; ${used} of ${planned} runs, delta ${benchmark.run_summary.delta?.pass_rate ?? '–'}`,
    )
    for (const note of [...notes, ...others]) console.log(`    ${note}`)
  } catch (error) {
    tally.refused += 1
    console.log(`${path.relative(root, tree)}: refused; ${error.message.replace(copy, '.')}`)
  } finally {
    rmSync(copy, { recursive: true })
  }
}
console.log(
  Object.entries(tally)
    .map(([name, count]) => `${count} ${name}`)
    .join(', '),
)
