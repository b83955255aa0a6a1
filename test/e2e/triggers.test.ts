/** triggers through real engines on practice models: what is found, and that the number of workers changes nothing. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Triggers, triggers as triggersSchema } from '../../schemas/triggers.ts'
import { claudeBinary, needs } from '../require.ts'
import { fresh, whetstone } from './program.ts'
import { type EngineName, envOf, type Model, practiceFor, type Query, queries, skillWith } from './triggers_stage.ts'

interface Asked {
  engine: EngineName
  model: Model
  set?: readonly Query[]
  args?: readonly string[]
}

/** Measures with a practice model; gives the end of the program and triggers.json. */
async function measured({ engine, model, set = queries, args = [] }: Asked) {
  await using server = await practiceFor(model, engine)
  const workspace = fresh()
  const place = ['--workspace', workspace, '--engine', engine, '--model', 'sonnet']
  const end = await whetstone(['triggers', skillWith(set), ...place, '--json', ...args], { env: envOf(engine, server) })
  const lines = end.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const file: unknown = lines.at(-1)?.file
  const made = typeof file === 'string' ? triggersSchema.parse(JSON.parse(readFileSync(file, 'utf8'))) : null
  return { end, lines, made, requests: server.requests.length, workspace, folder: path.dirname(String(file)) }
}

function whole({ made, end }: { made: Triggers | null; end: { stderr: string } }): Triggers {
  if (made === null) throw new Error(end.stderr)
  return made
}

const patience = 240_000

/** Trigger rates of queries that should, and of those that should not. */
const expected: Record<Model, [number, number]> = {
  always: [1, 1],
  never: [0, 0],
  keyword: [1, 0],
  after_tools: [1, 1],
  by_path: [1, 1],
}

function testEngine(engine: EngineName): void {
  describe.each(Object.entries(expected))('a model that uses it: %s', (name, [should, shouldNot]) => {
    const model = name as Model
    test('every query has the rate that the model has', { timeout: patience }, async () => {
      const args = ['--runs', '2', '--concurrency', '4']
      const ran = await measured({ engine, model, set: queries.slice(0, 4), args })
      const made = whole(ran)
      expect(ran.end.code, ran.end.stderr).toBe(0)
      const rates = made.results.map(({ trigger_rate, should_trigger }) => [should_trigger, trigger_rate])
      expect(rates).toEqual([
        [true, should],
        [false, shouldNot],
        [true, should],
        [false, shouldNot],
      ])
      expect(made.summary).toMatchObject({ runs_planned: 8, runs_decided: 8, runs_failed: 0 })
    })
  })

  test('eight workers find what one finds', { timeout: patience }, async () => {
    const rates = async (concurrency: number) => {
      const args = ['--runs', '1', '--concurrency', String(concurrency)]
      return whole(await measured({ engine, model: 'keyword', args })).results.map(({ trigger_rate }) => trigger_rate)
    }
    const alone = await rates(1)
    expect(alone).toEqual(queries.map(({ should_trigger }) => (should_trigger ? 1 : 0)))
    expect(await rates(8)).toEqual(alone)
  })
}

describe('anthropic', () => testEngine('anthropic'))

needs('the claude CLI', claudeBinary() !== null, 'npm run agents')('claude-code', () => testEngine('claude-code'))
