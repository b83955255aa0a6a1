/** A whole benchmark of the example's first case through a real agent CLI on the practice model, and what can be asked of it. */
import { cpSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { type Plan, plan as planSchema } from '../../schemas/plan.ts'
import { chooseSandbox, noWish } from '../../src/base/sandbox/choose.ts'
import { engineNamed } from '../../src/engines/table.ts'
import type { skillFiles } from '../../src/phases/1-plan/skill.ts'
import { performRun } from '../../src/phases/2-run/run.ts'
import { loadScenario } from '../../src/practice/scenario.ts'
import { type PracticeServer, startPractice } from '../../src/practice/server.ts'
import { fresh, whetstone } from './program.ts'

export const example = path.join(import.meta.dirname, '../../workspaces/example/invoice-totals')

export interface RealCli {
  engine: string
  model: string
  /** The scenario, beside this file. */
  scenario: string
  /** What the user has set, for a server. */
  env(server: Pick<PracticeServer, 'url'>): Record<string, string>
}

/** A practice server with the scenario of this CLI. */
async function serve(cli: RealCli): Promise<PracticeServer> {
  return startPractice({ scenario: await loadScenario(path.join(import.meta.dirname, cli.scenario)) })
}

/** Benches; `asked` are the requests of agents in order, with all that the model was told. */
export async function benched(cli: RealCli, more: Record<string, string> = {}) {
  const folder = fresh()
  const skill = path.join(folder, 'invoice-totals')
  cpSync(example, skill, { recursive: true })
  await using server = await serve(cli)
  const args = ['bench', skill, '--engine', `${cli.engine}:${cli.model}`, '--case', '1', '--runs', '1']
  const end = await whetstone([...args, '--workspace', path.join(folder, 'ws')], {
    env: { ...cli.env(server), ...more },
  })
  const benchmarks = path.join(folder, 'ws/benchmarks')
  const made = path.join(benchmarks, readdirSync(benchmarks)[0] ?? '')
  const read = (arm: string, name: string) =>
    readFileSync(path.join(made, 'eval-1-march-summary', arm, 'run-1', name), 'utf8')
  const plan = planSchema.parse(JSON.parse(readFileSync(path.join(made, 'plan.json'), 'utf8')))
  const agents = server.requests.filter((one) => one.rule?.startsWith('agent'))
  const asked = agents.map(({ rule, system, messages }) => ({ rule, text: system + JSON.stringify(messages) }))
  return { end, read, plan, asked }
}

/** The run of the arm with the skill alone, with these files of the skill installed. */
export async function performed(cli: RealCli, plan: Plan, files: Awaited<ReturnType<typeof skillFiles>>['files']) {
  await using server = await serve(cli)
  const spec = plan.runs.find((run) => run.configuration === 'with_skill')
  if (spec === undefined) throw new Error('no such arm')
  return await performRun({
    spec,
    engine: engineNamed(cli.engine),
    skillFiles: files,
    folder: path.join(fresh(), 'run'),
    userEnv: { PATH: process.env.PATH, ...cli.env(server) },
    passEnv: [],
    hidden: [],
    sandbox: await chooseSandbox(noWish, process.env.PATH ?? ''),
    attempt: 1,
    signal: new AbortController().signal,
  })
}
