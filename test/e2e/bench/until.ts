/** bench --until decided against the practice model. */
import path from 'node:path'
import { fresh } from '../program.ts'
import { bench, newestIn, tidySkill, withModel } from './benched.ts'

/** The skill does it all; nobody does; who does it is drawn by the conversation. */
export const worlds = {
  helps: "rules: [{ name: skilled, when: { system: 'SKILL.md' }, text: TIDY }, { name: else, text: untidy }]",
  same: 'rules: [{ name: both, text: untidy }]',
  /** Of seven cases the skill wins tasks 1 to 5 and loses 6 and 7: too few to decide, too many to give up. */
  mixed:
    "rules: [{ name: won, when: { system: 'SKILL.md', user: 'task [1-5]' }, text: TIDY }, { name: lost, when: { system: 'SKILL.md' }, text: untidy }, { name: theirs, when: { user: 'task [67]' }, text: TIDY }, { name: else, text: untidy }]",
}

export interface Made {
  skill: string
  workspace: string
  engine: string
  env: Record<string, string>
}

export function inWorld<R>(scenario: string, cases: number, work: (made: Made) => Promise<R>): Promise<R> {
  const asked = { skill: tidySkill(cases), workspace: path.join(fresh(), 'ws'), engine: 'anthropic:claude-haiku-4-5' }
  return withModel(scenario, (env) => work({ ...asked, env }))
}

/** How it ended, and the newest benchmark. */
export async function benchUntil(made: Made, ...flags: readonly string[]) {
  const end = await bench(made, '--until', 'decided', '--concurrency', '4', ...flags)
  return { ...end, ...lookedIn(made.workspace) }
}

export function lookedIn(workspace: string) {
  const state = newestIn(workspace)
  return { ...state, until: state.result.statistics?.until }
}
