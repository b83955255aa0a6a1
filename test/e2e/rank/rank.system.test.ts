/** rank against the practice model: a winner, those that stop early, what goes on after a stop, and what is refused. */
import type { ChildProcess } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { flowEvent } from '../../../schemas/flow_event.ts'
import { rank as rankSchema } from '../../../schemas/rank.ts'
import { parseScenario } from '../../../src/features/practice/scenario/scenario.ts'
import { startPractice } from '../../../src/features/practice/server.ts'
import { runMain } from '../../cli/run_main.ts'
import { fresh, type ProgramOptions, whetstone } from '../program.ts'

/** The good skill passes all six tasks, the fair one five, the poor one none; the large model passes all, the small one none. */
const world = `
rules:
  - { name: good, when: { system: 'the good way' }, text: TIDY }
  - { name: fair, when: { system: 'the fair way', user: 'task [1-5]' }, text: TIDY }
  - { name: large, when: { system: 'the plain way', model: sonnet }, text: TIDY }
  - { name: else, text: untidy }
`

interface Made {
  root: string
  url: string
  /** Requests that the model has answered. */
  asked: () => number
}

async function inWorld(work: (made: Made) => Promise<void>, scenario = world): Promise<void> {
  await using server = await startPractice({ scenario: parseScenario(scenario, 'test.yaml') })
  const root = fresh()
  for (const name of ['good', 'fair', 'poor', 'plain']) writeSkill(path.join(root, name), name)
  const evals = Array.from({ length: 6 }, (_, at) => ({
    id: at + 1,
    prompt: `task ${at + 1}`,
    checks: [{ type: 'contains', value: 'TIDY' }],
  }))
  writeFileSync(path.join(root, 'evals.json'), JSON.stringify({ skill_name: 'good', evals }))
  await work({ root, url: server.url, asked: () => server.requests.filter(({ rule }) => rule !== null).length })
}

function writeSkill(folder: string, name: string, text = `the ${name} way`): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(
    path.join(folder, 'SKILL.md'),
    `---\nname: ${name}\ndescription: Tidies things up, ${text}.\n---\n\nSay TIDY.\n`,
  )
}

const skills = ['good', 'fair', 'poor', '--suite', 'evals.json', '--engine', 'anthropic:claude-haiku-4-5']

async function rank(made: Made, args: readonly string[], started?: ProgramOptions['started']) {
  const env = { ANTHROPIC_BASE_URL: made.url, ANTHROPIC_API_KEY: 'practice' }
  const all = ['rank', ...args, '--workspace', 'ws', '--trust-suite', '--sandbox', 'off']
  const place = { cwd: made.root, env }
  const end = started === undefined ? await runMain(all, place) : await whetstone(all, { ...place, started })
  const ranks = path.join(made.root, 'ws/ranks')
  const folders = existsSync(ranks) ? readdirSync(ranks).sort() : []
  const folder = path.join(ranks, folders.at(-1) ?? '')
  const file = path.join(folder, 'rank.json')
  const result = existsSync(file) ? rankSchema.parse(JSON.parse(readFileSync(file, 'utf8'))) : null
  const names = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : []
  return { ...end, folder, folders: folders.length, result, runs: names.filter((name) => name.endsWith('run.json')) }
}

describe('skills on one suite', () => {
  test('a winner is better than every other; who cannot win gets no more runs', async () => {
    // the fair skill fails now and then, which takes longer to show than that the poor one always fails
    const close = world.replace("user: 'task [1-5]'", 'chance: 0.8')
    await inWorld(async (made) => {
      const end = await rank(made, [...skills, '--json'])
      expect(end.code, end.stderr).toBe(0)
      expect(end.result).toMatchObject({ status: 'winner', winner: 'good', complete: true, of: 'skills', cases: 6 })
      const ranks = end.result?.contenders.map(({ name, rank_best, rank_worst }) => [name, rank_best, rank_worst])
      expect(ranks?.[0]).toEqual(['good', 1, 1])
      const poor = end.result?.contenders.find(({ name }) => name === 'poor')
      expect(poor?.stopped_after).not.toBeNull()
      const own = (name: string) => end.runs.filter((run) => run.includes(`/${name}/`)).length
      expect(own('poor')).toBe(6 * (poor?.stopped_after ?? 0))
      expect(own('poor')).toBeLessThan(own('good'))
      expect(end.result?.runs.done).toBe(end.runs.length)
      expect(end.result?.runs.done).toBeLessThan(0.6 * (end.result?.runs.grid ?? 0))
      const events = end.stdout
        .trim()
        .split('\n')
        .slice(0, -1)
        .map((line) => flowEvent.parse(JSON.parse(line)))
      const looks = events.flatMap((event) => (event.type === 'rank_look' ? event : []))
      expect(looks.map(({ blocks }) => blocks)).toEqual(end.result?.looks.map(({ blocks }) => blocks))
      for (const name of ['rank.md', 'rank.html'])
        expect(readFileSync(path.join(end.folder, name), 'utf8')).toContain('Winner: good: better than each')
    }, close)
  })
  test('a budget ends it early and says so; a larger one goes on, and pays for nothing twice', async () => {
    await inWorld(async (made) => {
      const first = await rank(made, [...skills, '--budget', '0.02'])
      expect(first.code, first.stderr).toBe(3)
      expect(first.result).toMatchObject({ complete: false, status: 'open', winner: null, stop: { kind: 'budget' } })
      expect(first.stdout).toMatch(/INCOMPLETE: stopped by the budget/)
      const [paid, done] = [made.asked(), first.runs.length]
      const second = await rank(made, skills)
      expect(second, second.stderr).toMatchObject({ code: 0, folders: 1, result: { winner: 'good', complete: true } })
      expect(made.asked() - paid).toBe(second.runs.length - done)
      const third = await rank(made, skills)
      expect(third.folders).toBe(2) // a finished ranking is not resumed
    })
  })
  test('Ctrl-C leaves a valid result that says it is not complete, and the same command goes on', async () => {
    await inWorld(async (made) => {
      const end = await rank(made, skills, (child: ChildProcess) => {
        let [said, isDone] = ['', false]
        child.stderr?.on('data', (text: string) => {
          said += text
          if (isDone || !said.includes('[20/')) return
          isDone = true
          child.kill('SIGINT')
        })
      })
      expect(end.code, end.stderr).toBe(130)
      expect(end.result).toMatchObject({ complete: false, status: 'open', winner: null })
      expect(end.result?.sentence).toMatch(/^Not decided/)
      const again = await rank(made, skills)
      expect(again, again.stderr).toMatchObject({ code: 0, folders: 1, result: { winner: 'good' } })
    }, `latency: 100\n${world}`)
  })
})

test('engines with one skill: each model is a contender', async () => {
  await inWorld(async (made) => {
    const engines = ['anthropic:claude-haiku-4-5', 'anthropic:claude-sonnet-4-5']
    const end = await rank(made, [...engines, '--skill', 'plain', '--suite', 'evals.json'])
    expect(end.code, end.stderr).toBe(0)
    expect(end.result).toMatchObject({ of: 'engines', skill: 'plain', winner: 'anthropic:claude-sonnet-4-5' })
    expect(end.result?.contenders.map(({ engine }) => engine?.model)).toEqual(['claude-sonnet-4-5', 'claude-haiku-4-5'])
  })
})

describe('before anything is paid for', () => {
  test('--dry-run says the most and the expected runs and dollars, and starts nothing', async () => {
    await inWorld(async (made) => {
      const end = await rank(made, [...skills, '--dry-run', '--json', '--cost-per-run', '0.1'])
      const plan = JSON.parse(end.stdout.trim().split('\n').at(-1) ?? '')
      expect(end, end.stderr).toMatchObject({ code: 0, folders: 0 })
      expect(plan.runs.most).toBe(3 * 6 * plan.max_blocks)
      expect(plan.runs.expected).toBeLessThan(0.6 * plan.runs.most)
      expect(plan.cost_usd.most).toBeCloseTo(plan.runs.most / 10)
      expect(plan.cost_usd.expected).toBeCloseTo(plan.runs.expected / 10)
      expect(made.asked()).toBe(0)
    })
  })
  test('a suite that several skills share names one of them: no warning', async () => {
    await inWorld(async (made) => {
      const { code, stdout, stderr } = await rank(made, ['fair', 'good', ...skills.slice(3), '--dry-run'])
      expect([code, stderr, stdout.includes('skill-name-differs')]).toEqual([0, '', false])
    })
  })
  const suite = ['--suite', 'evals.json', '--engine', 'anthropic:claude-haiku-4-5']
  test.each<[string, string[], RegExp]>([
    ['one contender', ['good', ...suite], /rank with one contender \(good\)/],
    ['a copy of a skill', ['good', 'copy/good', ...suite], /good are the same/],
    ['two skills of one name', ['good', 'other/good', ...suite], /both are called good/],
    ['no suite', ['good', 'fair', '--engine', 'anthropic:claude-haiku-4-5'], /rank without --suite/],
    ['an engine without --skill', ['anthropic:claude-haiku-4-5', 'good', ...suite], /an engine, not a skill/],
    [
      'too few runs',
      ['good', 'fair', ...suite, '--max-runs', '10'],
      /10 runs per case can't find a lead of 15 points with power 95%; it takes \d+\nhint: use --max-runs \d+, or \d+ cases/,
    ],
    [
      'a suite too small for any number of runs',
      ['good', 'fair', ...suite, '--case', '1'],
      /200 runs per case can't find .* it takes [\d,]+\nhint: use \d+ cases/,
    ],
    ['--output without results of another tool', ['good', 'fair', ...suite, '-o', 'x'], /--output without --from/],
  ])('%s is refused', async (_, args, why) => {
    await inWorld(async (made) => {
      writeSkill(path.join(made.root, 'copy/good'), 'good')
      writeSkill(path.join(made.root, 'other/good'), 'good', 'another way')
      const end = await rank(made, args)
      expect(end.stderr).toMatch(why)
      expect(end).toMatchObject({ code: 2, folders: 0 })
      expect(end.stderr).not.toContain('    at ')
      expect(made.asked()).toBe(0)
    })
  })
})
