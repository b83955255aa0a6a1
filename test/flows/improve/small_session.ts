/** The skill with a broken script and eight cases, and sessions on it through the command line. */
import path from 'node:path'
import { expect } from 'vitest'
import type { History } from '../../../schemas/history.ts'
import type { SessionForecast } from '../../../src/flows/improve/dry_run.ts'
import { runMain } from '../../cli/run_main.ts'
import { evals, openWorld, proposer } from '../../e2e/improve/improving.ts'

const fixes = proposer('fixes', {
  command: "sed -i 's/a - b/a + b/' adder/scripts/add.sh; echo 'Please.' >> ../change-2/adder/SKILL.md",
  words:
    'CHANGE 1: adds in place of subtracting\\nWHY 1: the sums were wrong\\nCHANGE 2: says please\\nWHY 2: it is polite',
})

export interface SmallSession extends AsyncDisposable {
  skill: string
  workspace: string
  /** Answers that the model has given so far; its list of models and the count of the tokens of "hello" cost nothing. */
  requests: () => number
  improve: (...flags: string[]) => ReturnType<typeof runMain>
  history: () => History
}

interface SmallSessionWish {
  proposers?: string
  engine?: string | null
  env?: Record<string, string>
  /** Each case also has an expectation for a judge. */
  isJudged?: boolean
}

export async function openSmallSession(wish: SmallSessionWish = {}): Promise<SmallSession> {
  const { proposers = fixes, engine = 'anthropic:practice-1', isJudged = false } = wish
  const judged = isJudged && { expectations: ['The answer is polite'] }
  const suite = { skill_name: 'adder', evals: evals(8).map((one) => ({ ...one, ...judged })) }
  const world = await openWorld(proposers, 8, { 'evals/evals.json': JSON.stringify(suite) })
  const { skill, workspace, history } = world
  const env = { ...world.env, ...wish.env }
  const fixed = [...(engine === null ? [] : ['--engine', engine]), '--workspace', workspace, '--trust-suite']
  return {
    ...{ skill, workspace, history },
    requests: () => world.asked.filter((messages) => messages !== '[]' && !messages.includes('"hello"')).length,
    improve: (...flags) =>
      runMain(['improve', skill, ...fixed, '--sandbox=off', ...flags], { cwd: path.dirname(skill), env }),
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  }
}

/** Every proposer fails: its provider refuses the request. */
export const failing = `
  - name: fails
    when: { user: '^You improve an agent skill' }
    fault: { status: 400 }
`

/** What `--dry-run` says. */
export async function foresee(world: SmallSession, ...flags: string[]): Promise<SessionForecast> {
  const { code, stdout, stderr } = await world.improve('--dry-run', '--json', ...flags)
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout.trimEnd()).not.toContain('\n')
  return JSON.parse(stdout)
}
