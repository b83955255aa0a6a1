/** Whole sessions of `improve` on the practice model, in a landscape of known truth: how well a skill does is what its text says. */
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { History } from '../../schemas/history.ts'
import { improve } from '../../src/flows/improve/improve.ts'
import { usualMargins } from '../../src/phases/4-report/acceptance/guards.ts'
import { createSeededRandom, type Random } from '../../src/phases/4-report/stats/distributions/seeded_random.ts'
import { parseScenario } from '../../src/practice/scenario/scenario.ts'
import { startPractice } from '../../src/practice/server.ts'
import { drawEdit, type Mix } from './improve_world.ts'

export const plan = { cases: 18, iterations: 4, trainRuns: 1, runs: 6 }

/** Twentieths of a chance that a level is worth; levels are what SKILL.md says behind "Care:". */
const step = 0.05
const levels = { least: -24, most: 24 }
/** Conversations about one case that a session may have. */
const most = 160

export interface PracticeEnd {
  history: History
  /** The true mean chance of a version on these cases. */
  truth: (version: string, cases: readonly number[]) => number
  runs: number
}

interface Drawn {
  /** Of each case at level 0. */
  chances: readonly number[]
  /** What each proposal does to the level, in order. */
  edits: readonly number[]
  /** Of each case, a lot for each conversation about it. */
  lots: readonly (readonly number[])[]
}

function draw(random: Random, mix: Mix): Drawn {
  const many = <T>(count: number, make: () => T) => Array.from({ length: count }, make)
  return {
    chances: many(plan.cases, () => 0.1 + 0.5 * random()),
    // twice as strong as in the simulation: there are fewer runs to see it by
    edits: many(plan.iterations * 3, () => Math.round((2 * drawEdit(random, mix).effect) / step)),
    lots: many(plan.cases, () => many(most, random)),
  }
}

const chanceAt = (chance: number, level: number) => Math.min(0.97, Math.max(0.03, chance + step * level))
const name = (at: number) => `task${String.fromCharCode(97 + at)}`

/** The agent reads the skill, then its lot says whether it succeeds at the level that it read. */
function agentRules({ chances, lots }: Drawn) {
  const reads = {
    name: 'reads the skill',
    when: { user: '^Do ', system: String.raw`file: (?<file>\S+SKILL\.md)`, turn: 1 },
    tool_calls: [{ name: 'Read', input: { file_path: '{{file}}' } }],
  }
  const succeeds = chances.flatMap((chance, at) =>
    Array.from({ length: levels.most - levels.least + 1 }, (_, index) => {
      const level = levels.least + index
      const numbers = (lots[at] ?? []).flatMap((lot, number) => (lot < chanceAt(chance, level) ? [number] : []))
      const when = { user: `^Do ${name(at)}\\b`, result: `Care: ${level}\\b`, turn: 2, seed: numbers }
      return { name: `${name(at)} at ${level}`, when, text: 'It is DONE.' }
    }),
  )
  return [
    reads,
    ...succeeds.filter(({ when }) => when.seed.length > 0),
    { name: 'fails', when: { user: '^Do ' }, text: 'I can not.' },
  ]
}

/** The next edit of the stream: those that were not taken are told, those that were have left a line. */
function proposerRules({ edits }: Drawn) {
  return Array.from({ length: plan.iterations + 1 }, (_, told) => plan.iterations - told).flatMap((told) => {
    const lines = told === 0 ? [] : [`Tried already[^\\n]*\\n\\n(?:- [^\\n]*\\n){${told}}`]
    const user = ['^You improve an agent skill', ...lines]
    const command = [
      `n=$(( ${told} + $(grep -c '^- tip' tidy/SKILL.md || true) ))`,
      `set -- ${edits.join(' ')}; shift $n`,
      "c=$(sed -n 's/^Care: //p' tidy/SKILL.md)",
      'sed -i "s/^Care: .*/Care: $((c + $1))/" tidy/SKILL.md',
      'echo "- tip $n" >> tidy/SKILL.md',
    ].join('; ')
    return [
      { name: `edits ${told}`, when: { user, turn: 1 }, tool_calls: [{ name: 'Bash', input: { command } }] },
      { name: `speaks ${told}`, when: { user }, text: 'SUMMARY: another tip\nWHY: some runs failed' },
    ]
  })
}

async function layOut(folder: string): Promise<string> {
  const skill = path.join(folder, 'tidy')
  await mkdir(path.join(skill, 'evals'), { recursive: true })
  const text = '---\nname: tidy\ndescription: Does tasks.\n---\n\nDo the task with care.\n\nCare: 0\n'
  await writeFile(path.join(skill, 'SKILL.md'), text)
  const evals = Array.from({ length: plan.cases }, (_, at) => {
    return { id: at + 1, prompt: `Do ${name(at)}, please.`, checks: [{ type: 'contains', value: 'DONE' }] }
  })
  await writeFile(path.join(skill, 'evals/evals.json'), JSON.stringify({ skill_name: 'tidy', evals }))
  return skill
}

/** One session, from the start to its test. The same seed gives the same session, however busy the machine is: time decides nothing. */
export async function practiceSession(seed: number, mix: Mix): Promise<PracticeEnd> {
  const drawn = draw(createSeededRandom(seed), mix)
  const rules = [...proposerRules(drawn), ...agentRules(drawn)]
  await using server = await startPractice({ scenario: parseScenario(JSON.stringify({ rules }), 'session.yaml') })
  const folder = await mkdtemp(path.join(tmpdir(), 'improve-'))
  const skill = await layOut(folder)
  const never = new AbortController().signal
  const env = { PATH: process.env.PATH, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'practice' }
  const { history } = await improve(
    {
      ...{ skill, seed, iterations: plan.iterations, trainRuns: plan.trainRuns, validationRuns: plan.runs },
      ...{
        testRuns: plan.runs,
        margins: { ...usualMargins, time: 1000 },
        proposer: null,
        proposeTimeout: 120,
        resume: false,
      },
      ...{ review: null, useDrafts: false },
      bench: {
        ...{ suite: null, engine: 'anthropic:practice-1', model: null, judge: null, concurrency: 1 },
        ...{ timeoutSeconds: 120, maxTurns: null, retries: 2, activation: 'natural', onTimeout: 'fail' },
        ...{ workspace: path.join(folder, 'ws'), passEnv: [] },
        sandbox: { mode: 'off', network: null, readable: [], trusted: true },
      },
    },
    { emit: () => {}, env, drain: never, signal: never, now: () => new Date() },
  )
  const truth = (version: string, cases: readonly number[]) => {
    const text = readFileSync(path.join(folder, 'ws/versions', version, 'SKILL.md'), 'utf8')
    const level = Number(/^Care: (-?\d+)$/m.exec(text)?.[1])
    return cases.reduce((sum, id) => sum + chanceAt(drawn.chances[id - 1] ?? 0, level), 0) / cases.length
  }
  return { history, truth, runs: server.requests.filter(({ turn }) => turn === 1).length }
}
