/** Whole sessions of `improve` on the practice model, in a landscape of known truth: how well a skill does is what its script says. */
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { History } from '../../schemas/history.ts'
import { improve } from '../../src/flows/improve/improve.ts'
import type { ImproveRequest } from '../../src/flows/improve/improve_request.ts'
import { usualMargins } from '../../src/phases/4-report/acceptance/guards.ts'
import { createSeededRandom, type Random } from '../../src/phases/4-report/stats/distributions/seeded_random.ts'
import { parseScenario } from '../../src/practice/scenario/scenario.ts'
import { startPractice } from '../../src/practice/server.ts'

export const plan = { cases: 12, totalRuns: 120 }

/** Shares of the edits; the rest do nothing. */
export interface Mix {
  helpful: number
  harmful: number
}

/** What a level is worth on every case. The level is the sum of what the edits add in the script. */
const step = 0.05
const levels = { least: -24, most: 24 }
/** Edits move the level by 2 to 6: larger than in the simulation, because there are fewer runs. */
const editLevels = { least: 2, spread: 5 }
/** Proposals that a session may ask for, of four edits each. */
const proposals = 12
/** Conversations about one case that a session may have. */
const conversations = 120

export interface PracticeEnd {
  history: History
  /** The true mean chance of a version on these cases. */
  truth: (version: string, cases: readonly number[]) => number
  runs: number
}

interface Drawn {
  /** Of each case at level 0. */
  chances: readonly number[]
  /** What each edit adds to the level, in order. */
  edits: readonly number[]
  /** Of each case, a lot for each conversation about it. */
  lots: readonly (readonly number[])[]
}

function draw(random: Random, { helpful, harmful }: Mix): Drawn {
  const list = <T>(count: number, create: () => T) => Array.from({ length: count }, create)
  const drawLevel = () => {
    const [lot, size] = [random(), editLevels.least + Math.floor(editLevels.spread * random())]
    return lot < helpful ? size : lot < helpful + harmful ? -size : 0
  }
  return {
    chances: list(plan.cases, () => 0.1 + 0.5 * random()),
    edits: list(4 * proposals, drawLevel),
    lots: list(plan.cases, () => list(conversations, random)),
  }
}

const chanceAt = (chance: number, level: number) => Math.min(0.97, Math.max(0.03, chance + step * level))
const nameOf = (at: number) => `task${String.fromCharCode(97 + at)}`

/** The agent reads the skill and runs its script. Then its lot says whether it succeeds at the level that the script printed. */
function agentRules({ chances, lots }: Drawn) {
  const succeeds = chances.flatMap((chance, at) =>
    Array.from({ length: levels.most - levels.least + 1 }, (_, index) => {
      const level = levels.least + index
      const numbers = (lots[at] ?? []).flatMap((lot, number) => (lot < chanceAt(chance, level) ? [number] : []))
      const when = { user: `^Do ${nameOf(at)}\\b`, result: `^Care: ${level}\\b`, turn: 3, seed: numbers }
      return { name: `${nameOf(at)} at ${level}`, when, text: 'It is DONE.' }
    }),
  )
  return [
    {
      name: 'reads the skill',
      when: { user: '^Do ', system: String.raw`file: (?<file>\S+SKILL\.md)`, turn: 1 },
      tool_calls: [{ name: 'Read', input: { file_path: '{{file}}' } }],
    },
    {
      name: 'runs its script',
      when: { user: '^Do ', called: String.raw`(?<folder>[^"\s]+)/SKILL\.md`, turn: 2 },
      tool_calls: [{ name: 'Bash', input: { command: 'sh {{folder}}/scripts/care.sh' } }],
    },
    ...succeeds.filter(({ when }) => when.seed.length > 0),
    { name: 'fails', when: { user: '^Do ' }, text: 'I cannot.' },
  ]
}

/** Each proposal adds the next four edits of the stream, one line in each copy. `counter`: a file that counts the proposals. */
function proposerRules({ edits }: Drawn, counter: string) {
  const command = [
    `n=$(cat ${counter}); echo $((n + 1)) > ${counter}`,
    `set -- ${edits.join(' ')}; shift $((4 * n))`,
    `for at in 1 2 3 4; do sed -i "s/^# end/c=\\$((c + $1)) # tip $n.$at\\n# end/" change-$at/tidy/scripts/care.sh; shift; done`,
  ].join('; ')
  const text = [1, 2, 3, 4].map((at) => `CHANGE ${at}: more care\nWHY ${at}: some runs failed`).join('\n')
  const user = '^You improve an agent skill'
  return [
    { name: 'edits', when: { user, turn: 1 }, tool_calls: [{ name: 'Bash', input: { command } }] },
    { name: 'speaks', when: { user }, text },
  ]
}

const script = `c=0
# end
if [ $c -gt ${levels.most} ]; then c=${levels.most}; fi
if [ $c -lt ${levels.least} ]; then c=${levels.least}; fi
echo "Care: $c"
`

async function writeSkill(folder: string): Promise<string> {
  const skill = path.join(folder, 'tidy')
  await mkdir(path.join(skill, 'evals'), { recursive: true })
  await mkdir(path.join(skill, 'scripts'))
  const text =
    '---\nname: tidy\ndescription: Does tasks.\n---\n\nRun `sh scripts/care.sh`, then do the task with that care.\n'
  await writeFile(path.join(skill, 'SKILL.md'), text)
  await writeFile(path.join(skill, 'scripts/care.sh'), script)
  const evals = Array.from({ length: plan.cases }, (_, at) => {
    return { id: at + 1, prompt: `Do ${nameOf(at)}, please.`, checks: [{ type: 'contains', value: 'DONE' }] }
  })
  await writeFile(path.join(skill, 'evals/evals.json'), JSON.stringify({ skill_name: 'tidy', evals }))
  return skill
}

function requestSession(skill: string, seed: number): ImproveRequest {
  return {
    ...{ skill, seed, totalRuns: plan.totalRuns, goal: 'better', certifyJudge: null, confirmOn: [] },
    // how long a run takes says something about the machine only
    margins: { ...usualMargins, cost: 1000, time: 1000 },
    ...{ proposer: null, proposeTimeout: 120, resume: false, review: null, useDrafts: false },
    bench: {
      ...{ suite: null, engine: 'anthropic:practice-1', model: null, judge: null, concurrency: 1 },
      ...{ timeoutSeconds: 120, maxTurns: null, retries: 2, activation: 'natural', onTimeout: 'fail' },
      ...{ workspace: path.join(path.dirname(skill), 'ws'), passEnv: [] },
      sandbox: { mode: 'off', network: null, readable: [], trusted: true },
    },
  }
}

/** One session, from the start to its certification. The same seed gives the same session, however busy the machine is. */
export async function practiceSession(seed: number, mix: Mix): Promise<PracticeEnd> {
  const drawn = draw(createSeededRandom(seed), mix)
  const folder = await mkdtemp(path.join(tmpdir(), 'improve-'))
  const skill = await writeSkill(folder)
  const counter = path.join(folder, 'proposals')
  await writeFile(counter, '0')
  const rules = [...proposerRules(drawn, counter), ...agentRules(drawn)]
  await using server = await startPractice({ scenario: parseScenario(JSON.stringify({ rules }), 'session.yaml') })
  const never = new AbortController().signal
  const env = { PATH: process.env.PATH, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'practice' }
  const context = { emit: () => {}, env, drain: never, signal: never, now: () => new Date() }
  const { history } = await improve(requestSession(skill, seed), context)
  const truth = (version: string, cases: readonly number[]) => {
    const text = readFileSync(path.join(folder, 'ws/versions', version, 'scripts/care.sh'), 'utf8')
    const added = [...text.matchAll(/c \+ (-?\d+)\)\) # tip/g)].reduce((sum, [, level]) => sum + Number(level), 0)
    const level = Math.min(levels.most, Math.max(levels.least, added))
    return cases.reduce((sum, id) => sum + chanceAt(drawn.chances[id - 1] ?? 0, level), 0) / cases.length
  }
  return { history, truth, runs: server.requests.filter(({ turn }) => turn === 1).length }
}
