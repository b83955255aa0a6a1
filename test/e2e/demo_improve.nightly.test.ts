/** The demo of `improve`: its gains come from edits of the skill's files, bad edits lose or are refused, and without the good ones nothing ships. */
import { cpSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import type { ProposedEdit } from '../../schemas/history/round.ts'
import { type History, history as historySchema } from '../../schemas/history.ts'
import { parseScenario } from '../../src/features/practice/scenario/scenario.ts'
import { startPractice } from '../../src/features/practice/server.ts'
import { runMain } from '../cli/run_main.ts'
import { fresh } from './program.ts'

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const example = path.join(import.meta.dirname, '../../workspaces/example-improve')
const scenarioText = readFileSync(path.join(example, 'practice.yaml'), 'utf8')

const readHistory = (workspace: string): History =>
  historySchema.parse(JSON.parse(readFileSync(path.join(workspace, 'history.json'), 'utf8')))

const listEdits = ({ rounds = [] }: History): ProposedEdit[] =>
  rounds.flatMap(({ proposals }) => proposals.flatMap(({ edits }) => edits))

/** Every file of a folder with its text. */
function readFolder(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
  return Object.fromEntries(
    names.map((one) => [one.name, readFileSync(path.join(one.parentPath, one.name), 'utf8')] as const),
  )
}

describe('the demo of improve', () => {
  const cwd = fresh()
  const home = fresh()
  const workspace = path.join(cwd, 'workspaces/adder')
  const before = readFolder(example)
  let end: Awaited<ReturnType<typeof runMain>>
  let history: History
  beforeAll(async () => {
    const env = { HOME: home, XDG_STATE_HOME: path.join(home, 'state') }
    end = await runMain(['demo', '--improve'], { cwd, env })
    history = readHistory(workspace)
  })

  test('ends with a certified version, and says so first', () => {
    expect(end.code, end.stderr).toBe(0)
    expect(end.stdout).not.toContain('--resume')
    expect(end.stdout.trim()).toMatch(
      /^Better: pass rate \d+% with v\d, \d+% with v0: \+\d+ points, 95% CI \[\d+, \d+\]/,
    )
    expect(history).toMatchObject({ certification: { result: 'won', judge: { kind: 'code' } } })
    expect(history.certification?.gain.mean).toBeGreaterThan(0.4)
  })
  test('harmful edits run and are not kept; others are refused before they run', () => {
    const edits = listEdits(history)
    const harmful = edits.filter(({ summary, refused }) => /in your head|comma or a dot/.test(summary) && !refused)
    expect(harmful.map(({ kept }) => kept)).toEqual([false, false])
    expect(harmful.every(({ effect }) => Number(effect) < 0)).toBe(true)
    const rules = new Set(edits.flatMap(({ refused }) => refused?.rule ?? []))
    expect([...rules].sort()).toEqual(['hard_coded', 'overlap', 'repeated'])
  })
  test('writes its workspace and nothing else', () => {
    expect(readdirSync(cwd)).toEqual(['workspaces'])
    expect(readdirSync(path.join(cwd, 'workspaces'))).toEqual(['adder'])
    expect(readdirSync(home).filter((name) => name !== 'state')).toEqual([])
    expect(readFolder(example)).toEqual(before)
  })
  test('a copy of the skill with the files of the best version leaves nothing to improve', async () => {
    const skill = path.join(fresh(), 'adder')
    cpSync(path.join(example, 'adder'), skill, { recursive: true })
    cpSync(path.join(workspace, 'versions', history.current_best), skill, { recursive: true })
    const { code, stdout } = await runMain(['demo', '--improve', '--skill', skill, '--workspace', fresh()])
    expect([code, stdout]).toEqual([0, expect.stringContaining('Nothing to improve: v0 passes all training cases.')])
  })
})

test('control: without the useful edits nothing is certified', async () => {
  const scenario = parseScenario(scenarioText, 'practice.yaml')
  const rules = scenario.rules.filter(({ name }) => !name.startsWith('useful: '))
  expect(scenario.rules.length - rules.length).toBeGreaterThanOrEqual(3)
  await using server = await startPractice({ scenario: { ...scenario, rules } })
  const workspace = path.join(fresh(), 'ws')
  const args = ['improve', path.join(example, 'adder'), '--engine', 'anthropic:practice-1', '--workspace', workspace]
  const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'practice' }
  const { code, stderr } = await runMain(args, { env })
  expect(code, stderr).toBe(0)
  const history = readHistory(workspace)
  expect(history.current_best).toBe('v0')
  expect(history.certification?.result).not.toBe('won')
  expect(listEdits(history).some(({ refused }) => refused === undefined)).toBe(true)
})

test('no rule of the scenario knows an answer', () => {
  const { evals } = JSON.parse(readFileSync(path.join(example, 'adder/evals/evals.json'), 'utf8'))
  const sums: string[] = evals.map(({ checks }: { checks: { value?: string }[] }) => checks[0]?.value)
  expect(sums.length).toBeGreaterThanOrEqual(18)
  expect(sums.filter((sum) => scenarioText.includes(sum))).toEqual([])
})
