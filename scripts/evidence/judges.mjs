// Replays the recorded judgements of JudgeBench through `compare`, both orders each, and compares accuracy and flips with its own metrics.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pLimit from 'p-limit'
import { compare } from '../../dist/src/features/compare/compare.js'
import { createBlinder } from '../../dist/src/features/compare/judge/blind.js'
import { startReplayingJudge } from './replaying_judge.mjs'
import { InputError } from './rows.mjs'
import { formatShare, formatTable } from './table.mjs'

const atOnce = 4

/** `check({ what, found, wanted })` is called for each judge's accuracy and flips. */
export async function reportJudges(checkout, check) {
  const folder = path.join(checkout, 'outputs')
  const rows = []
  for (const file of listJudgements(folder)) {
    const theirs = readTheirMetrics(checkout, path.join(folder, file))
    const { judge, responses } = describeFile(file)
    const recorded = readJsonLines(path.join(folder, file))
    // equal responses don't show in which order a judge sees them
    const ours = await replay(recorded.filter((pair) => pair.response_A !== pair.response_B))
    check({ what: `pairs with a verdict of ${judge}`, found: ours.judged, wanted: theirs.decided })
    check({ what: `accuracy of ${judge}`, found: formatShare(ours.accuracy), wanted: formatShare(theirs.accuracy) })
    check({ what: `flips of ${judge}`, found: ours.flips, wanted: theirs.flips })
    const both = `${formatShare(ours.accuracy)} / ${formatShare(theirs.accuracy)}`
    const flips = `${ours.flips} / ${theirs.flips}`
    rows.push([
      judge,
      responses,
      `${ours.judged} of ${theirs.pairs}`,
      both,
      formatShare(theirs.accuracy_all),
      flips,
      formatShare(ours.agreed),
      formatShare(ours.wrong),
    ])
  }
  return [
    '## Judges whose judgements are recorded: JudgeBench',
    [
      'Accuracy by the rule of JudgeBench: right in one order and not wrong in the other. Agreed: `compare` names a winner. Left out: pairs without',
      'a recorded decision in one order, and pairs of equal responses.',
    ].join(' '),
    formatTable(
      [
        'judge',
        'responses of',
        'pairs with a verdict',
        'accuracy: ours / theirs',
        'theirs, all pairs',
        'flips: ours / theirs',
        'agreed right',
        'agreed wrong',
      ],
      rows,
    ),
  ].join('\n\n')
}

/** The files whose judges were asked in both orders. */
function listJudgements(folder) {
  let files
  try {
    files = readdirSync(folder).filter((name) => name.endsWith('.jsonl'))
  } catch {
    throw new InputError(`${folder}: no such folder; give a checkout of ScalerLab/JudgeBench`)
  }
  const both = files.filter((name) => readJsonLines(path.join(folder, name))[0]?.judgments.length === 2)
  if (both.length === 0) throw new InputError(`${folder}: no file with judgements in both orders`)
  return both.sort()
}

function describeFile(file) {
  const fields = Object.fromEntries(
    file
      .replace(/\.jsonl$/, '')
      .split(',')
      .map((part) => part.split('=')),
  )
  return { judge: `${fields.judge_model} (${fields.judge_name})`, responses: fields.response_model }
}

function readTheirMetrics(checkout, file) {
  const script = path.join(import.meta.dirname, 'judgebench_metrics.py')
  return JSON.parse(execFileSync('python3', ['-B', script, checkout, file], { encoding: 'utf8' }))
}

function readJsonLines(file) {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}

/** Judges each pair with `compare`; its two responses are the outputs of two folders. */
async function replay(pairs) {
  const temporary = mkdtempSync(path.join(tmpdir(), 'judgebench-'))
  const shown = pairs.map(({ question, response_A, response_B, judgments }) => {
    const blind = createBlinder({ configurations: [], skills: [], paths: [], task: [question] })
    const decisions = judgments.map((one) => one?.decision ?? null)
    return { first: blind(response_A), second: blind(response_B), decisions }
  })
  const server = await startReplayingJudge((index) => shown[index])
  try {
    const limit = pLimit(atOnce)
    const ends = await Promise.all(
      pairs.map((pair, at) =>
        limit(() => judgePair(pair, { at, url: server.url, folder: path.join(temporary, `${at}`) })),
      ),
    )
    return countEnds(ends)
  } finally {
    await server[Symbol.asyncDispose]()
    rmSync(temporary, { recursive: true })
  }
}

/** The pair's label, and its comparison; null: the judge gave no usable verdict. */
async function judgePair(pair, { at, url, folder }) {
  for (const side of ['A', 'B']) {
    mkdirSync(path.join(folder, side), { recursive: true })
    writeFileSync(path.join(folder, side, 'response.md'), pair[`response_${side}`])
  }
  const output = path.join(folder, 'verdict')
  const request = {
    ...{ folder: path.join(folder, 'A'), other: path.join(folder, 'B'), output, prompt: pair.question },
    ...{ a: 'A', b: 'B', pairs: null, cases: [], judge: 'anthropic:replayed', baseUrl: `${url}/${at}` },
    ...{ seed: at, concurrency: 1, again: false, passEnv: [], sandbox: { mode: 'off', network: null, readable: [] } },
  }
  const { missing } = await compare(request, {
    emit: () => {},
    env: { PATH: process.env.PATH, HOME: folder, ANTHROPIC_API_KEY: 'replayed' },
    drain: new AbortController().signal,
    signal: new AbortController().signal,
    now: () => new Date(0),
  })
  const comparison = missing === 0 ? JSON.parse(readFileSync(path.join(output, 'comparison-1.json'), 'utf8')) : null
  rmSync(folder, { recursive: true })
  return { label: pair.label === 'A>B' ? 'A' : 'B', comparison }
}

/** Accuracy by JudgeBench's rule, from the two judgements in each comparison, and by the verdicts of `compare`. */
function countEnds(ends) {
  const judged = ends.filter(({ comparison }) => comparison !== null)
  const share = (is) => judged.filter(is).length / judged.length
  const lead = ({ label, comparison: { judgements } }) =>
    judgements.reduce((sum, { winner }) => sum + (winner === 'TIE' ? 0 : winner === label ? 1 : -1), 0)
  return {
    judged: judged.length,
    accuracy: share((end) => lead(end) > 0),
    flips: judged.filter(({ comparison }) => comparison.flips > 0).length,
    agreed: share(({ label, comparison }) => comparison.winner === label),
    wrong: share(({ label, comparison: { winner } }) => winner !== label && winner !== 'TIE'),
  }
}
