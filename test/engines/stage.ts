/** A place for an engine to work in: temporary folders, a task, the events it emits. */
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import { UserError } from '../../src/base/errors/error.ts'
import { endMarked } from '../../src/base/process/marked_processes.ts'
import { runMark } from '../../src/base/process/process_marks.ts'
import type { EmittedEvent, Engine, EngineContext, EngineOutcome, EngineTask } from '../../src/engines/engine.ts'
import { parseScenario } from '../../src/features/practice/scenario/scenario.ts'
import { type PracticeServer, startPractice } from '../../src/features/practice/server.ts'

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

/** A stage of its own for each test of a file or a group. */
export function stageOfEachTest(): Omit<Stage, typeof Symbol.asyncDispose> {
  let open: Stage | null = null
  const now = () => {
    if (open === null) throw new Error('no test has begun')
    return open
  }
  beforeEach(async () => {
    open = await openStage()
  })
  afterEach(() => now()[Symbol.asyncDispose]())
  return {
    get cwd() {
      return now().cwd
    },
    get home() {
      return now().home
    },
    get mark() {
      return now().mark
    },
    get env() {
      return now().env
    },
    task: (more) => now().task(more),
    skill: (folder) => now().skill(folder),
  }
}

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

/** A task in places that need not be there. */
export const roomTask: EngineTask = {
  ...{ ...blank, prompt: '-x', cwd: '/room/work', sessionId: '11111111-2222-4333-8444-555555555555' },
  env: { PATH: '/bin', HOME: '/room/home' },
}
export const roomSkills = [{ name: 'demo', description: 'd', path: '/room/work/.agents/skills/demo' }]

/** How the process of a CLI ended that gave a stream. */
export const processEnd = { exitCode: 0, signal: null, stdout: '', stdoutCut: false, stderrTail: 'said', ended: false }

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

/** The UserError that an action throws. */
export function thrown(action: () => unknown): UserError {
  try {
    action()
  } catch (error) {
    if (error instanceof UserError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

/** The events of one type. */
export function ofType<T extends EmittedEvent['type']>(
  events: readonly EmittedEvent[],
  type: T,
): Extract<EmittedEvent, { type: T }>[] {
  return events.filter((event): event is Extract<EmittedEvent, { type: T }> => event.type === type)
}

/** A server on a free port of loopback. */
export async function serveHttp(answer: RequestListener): Promise<AsyncDisposable & { url: string; server: Server }> {
  const server = createServer(answer)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  return {
    ...{ server, url: `http://127.0.0.1:${port}` },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
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
