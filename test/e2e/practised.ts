/** An example package of ours on the practice model, with a change where a test wants one. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { evalResult } from '../../schemas/eval_result.ts'
import { loadScenario } from '../../src/features/practice/scenario/scenario.ts'
import { startPractice } from '../../src/features/practice/server.ts'
import { fresh, type ProgramEnd, type ProgramOptions, whetstone } from './program.ts'

const examples = path.join(import.meta.dirname, '../../workspaces')

export type ExamplePackage = 'example-eval-md' | 'example-golden'

export interface Copy {
  name: ExamplePackage
  folder: string
  workspace: string
  read: (file: string) => string
  /** Replaces a text of a file, or makes one. */
  change: (file: string, old: string | null, text: string) => void
}

export function copyOf(name: ExamplePackage): Copy {
  const folder = path.join(fresh(), name)
  cpSync(path.join(examples, name), folder, { recursive: true })
  const read = (file: string) => readFileSync(path.join(folder, file), 'utf8')
  return {
    ...{ name, folder, read },
    workspace: path.join(fresh(), 'ws'),
    change(file, old, text) {
      const before = old === null ? '' : read(file)
      if (old !== null && !before.includes(old)) throw new Error(`${file} does not hold ${old}`)
      mkdirSync(path.dirname(path.join(folder, file)), { recursive: true })
      writeFileSync(path.join(folder, file), old === null ? text : before.replace(old, text))
    },
  }
}

const sdk = ['--engine', 'anthropic:practice-1', '--judge', 'anthropic:practice-1']

type Start = (
  args: readonly string[],
  options: Pick<ProgramOptions, 'env'>,
) => Promise<Pick<ProgramEnd, 'code' | 'stdout' | 'stderr'>>

/**
 * eval of it on the SDK engine, unless the flags name another; `asked`: which rules of the scenario answered. `start`: the program,
 * or `runMain`.
 */
export async function practised(
  copy: Copy,
  flags: readonly string[] = [],
  env: Record<string, string> = {},
  start: Start = whetstone,
) {
  await using server = await startPractice({ scenario: await loadScenario(path.join(copy.folder, 'practice.yaml')) })
  const own = flags.includes('--engine') ? [] : sdk
  const end = await start(['eval', copy.folder, '--workspace', copy.workspace, '--json', ...own, ...flags], {
    env: { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'practice', ...env },
  })
  const last = JSON.parse(end.stdout.trim().split('\n').at(-1) ?? 'null')
  const suites = (last?.suites ?? []).map((one: unknown) => evalResult.parse(one))
  const cases = suites.flatMap((one: ReturnType<typeof evalResult.parse>) => one.cases)
  const verdicts = Object.fromEntries(
    cases.map((one: { eval_name: string; verdict: string; cached?: boolean }) => {
      return [one.eval_name, one.cached ? 'cached' : one.verdict]
    }),
  )
  return {
    end,
    suites,
    cases,
    verdicts,
    broken: last?.broken ?? [],
    asked: server.requests.map(({ rule }) => rule),
    log: JSON.stringify(server.requests),
  }
}
