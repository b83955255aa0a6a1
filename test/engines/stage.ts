/** A place for an engine to work in: temporary folders, a task, the events it emits. */
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { endMarked } from '../../src/base/process/marked_processes.ts'
import { runMark } from '../../src/base/process/process_marks.ts'
import type { EmittedEvent, Engine, EngineContext, EngineOutcome, EngineTask } from '../../src/engines/engine.ts'
import { parseScenario } from '../../src/practice/scenario/scenario.ts'
import { type PracticeServer, startPractice } from '../../src/practice/server.ts'

import { cliFolder } from '../require.ts'

export const agents = path.join(import.meta.dirname, '../fixtures/agents')

export interface Stage extends AsyncDisposable {
  cwd: string
  home: string
  /** The mark that the processes of this stage carry. */
  mark: string
  env: Record<string, string>
  task(more?: Partial<EngineTask>): EngineTask
  /** Installs the skill `demo` where an engine finds it, and gives it. */
  skill(skillsFolder?: string): Promise<EngineTask['skills']>
}

/** Opens a stage; its end kills what still runs there. */
export async function openStage(): Promise<Stage> {
  const root = await mkdtemp(path.join(tmpdir(), 'engine-stage-'))
  const [cwd, home] = [path.join(root, 'work'), path.join(root, 'home')]
  await mkdir(path.join(home, 'tmp'), { recursive: true })
  await mkdir(cwd)
  const mark = randomBytes(12).toString('hex')
  const env = {
    PATH: `${process.env.PATH}:${cliFolder}`,
    HOME: home,
    TMPDIR: path.join(home, 'tmp'),
    LANG: 'C.UTF-8',
    [runMark]: mark,
  }
  return {
    ...{ cwd, home, mark, env },
    task: (more = {}) => ({ ...blank, cwd, env, sessionId: randomUUID(), ...more }),
    async skill(skillsFolder = '.claude/skills') {
      const folder = path.join(cwd, skillsFolder, 'demo')
      await mkdir(folder, { recursive: true })
      await writeFile(
        path.join(folder, 'SKILL.md'),
        `---\nname: demo\ndescription: Shows things.\n---\n${bodyCanary}\n`,
      )
      return [{ name: 'demo', description: 'Shows things.', path: folder }]
    },
    async [Symbol.asyncDispose]() {
      await endMarked(mark)
      await rm(root, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** Stands in the body of the skill, and nowhere else. */
export const bodyCanary = 'BODY-CANARY-31337'

const blank: EngineTask = {
  prompt: 'greet',
  model: null,
  command: null,
  cwd: '',
  env: {},
  credentials: {},
  skills: [],
  tools: 'all',
  maxTurns: null,
  answerSchema: null,
  sessionId: '',
  sandbox: null,
}

export interface Performed {
  outcome: EngineOutcome
  events: EmittedEvent[]
}

/** Runs a task to its end. */
export async function perform(engine: Engine, task: EngineTask, more: Partial<EngineContext> = {}): Promise<Performed> {
  const events: EmittedEvent[] = []
  const context = { signal: new AbortController().signal, stderrFile: null, ...more }
  const outcome = await engine.run(task, { emit: (event) => events.push(event), ...context })
  return { outcome, events }
}

/** The events of one type. */
export function ofType<T extends EmittedEvent['type']>(
  events: readonly EmittedEvent[],
  type: T,
): Extract<EmittedEvent, { type: T }>[] {
  return events.filter((event): event is Extract<EmittedEvent, { type: T }> => event.type === type)
}

/** A practice server from the YAML of a scenario's rules and settings. */
export function practice(yaml: string): Promise<PracticeServer> {
  return startPractice({ scenario: parseScenario(yaml, 'test.yaml') })
}

/** Credentials for a practice server. */
export function keysFor(server: Pick<PracticeServer, 'url'>): Record<string, string> {
  return {
    ANTHROPIC_API_KEY: 'practice-key',
    ANTHROPIC_BASE_URL: server.url,
    OPENAI_API_KEY: 'practice-key',
    OPENAI_BASE_URL: `${server.url}/v1`,
  }
}
