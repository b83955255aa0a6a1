/**
 * Recordings of agent CLIs: each scene is what a CLI took and gave in one run of its engine. Played, it stands in for the CLI; recorded
 * again, it must have the shape of the recording in the repository. WHETSTONE_RECORD=write replaces that one.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import path from 'node:path'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { expect } from 'vitest'
import type { EngineTask } from '../../../src/engines/engine.ts'
import { cliFolder } from '../../require.ts'
import { agents } from '../stage.ts'
import { listFacts, startsAndEnds } from './shape.ts'
import { sideFiles, startedFile } from './side_files.ts'
import { cleanStep, createCleaner, dropRepeats, fillStep, type RawStep, readSteps, type Step } from './steps.ts'

/** How an engine finds its CLI. */
export interface RecordedCli {
  /** As `npm run agents` names it. */
  program: string
  /** The variable that names the program. */
  variable: string
}

export interface Recording {
  isPlayed: boolean
  /** Does the work with a task whose CLI is played, or recorded, as this scene. */
  run<T>(scene: string, task: EngineTask, work: (task: EngineTask) => Promise<T>): Promise<T>
}

/** The recording of a real CLI. */
export interface FreshRecording extends Recording {
  /** Fails if at least three of the scenes that ran show what no kept one does, or none of them what at least three kept ones show. */
  compare(): void
}

/** For an engine without a CLI. */
export const noRecording: Recording = { isPlayed: false, run: (_, task, work) => work(task) }

/** By scene: the steps of each process. */
type Scenes = Map<string, Step[][]>
type Header = { engine: string; cli: string; version: string; date: string; sources: string }

const fileOf = (name: string) => path.join(import.meta.dirname, `${name.replaceAll(/[-:]/g, '_')}.jsonl`)

export const hasRecording = (name: string) => existsSync(fileOf(name))

function readRecording(name: string): { header: Header | null; scenes: Scenes } {
  const scenes: Scenes = new Map()
  if (!hasRecording(name)) return { header: null, scenes }
  const [header, ...lines] = readFileSync(fileOf(name), 'utf8').trim().split('\n')
  let processes: Step[][] = []
  let file = ''
  for (const line of lines) {
    const step = JSON.parse(line) as Step | { scene: string }
    if ('scene' in step) {
      processes = []
      scenes.set(step.scene, processes)
    } else if ('args' in step) processes.push([step])
    else if ('record' in step) {
      file = step.file ?? file
      processes.at(-1)?.push({ ...step, file })
    } else processes.at(-1)?.push(step)
  }
  return { header: JSON.parse(header ?? '{}') as Header, scenes }
}

/** A record names its file only where the one before was of another. */
function printLines(lines: readonly object[]): string {
  let before = ''
  const short = lines.map((line) => {
    if (!('file' in line)) return line
    const isSame = line.file === before
    before = String(line.file)
    return isSame ? { ...line, file: undefined } : line
  })
  return short.map((line) => `${JSON.stringify(line)}\n`).join('')
}

/** What stands for the places of a run. */
function placesOf({ cwd, env, sessionId }: EngineTask): Record<string, string> {
  const root = path.dirname(cwd)
  return {
    session: sessionId,
    cwd,
    home: env.HOME ?? '',
    root,
    'root-dashed': root.replaceAll(/[^A-Za-z0-9]/g, '-'),
    stage: path.basename(root),
    clis: path.dirname(cliFolder),
  }
}

/** Writes a program that starts one of the two executables with these settings. */
async function writeFront(task: EngineTask, scene: string, { program, script, settings }: Front): Promise<string> {
  const folder = path.join(path.dirname(task.cwd), `front-${scene.replaceAll(/\W+/g, '-')}`)
  await mkdir(folder)
  const setup = path.join(folder, 'setup.json')
  await writeFile(setup, JSON.stringify({ folder, ...settings }))
  const file = path.join(folder, program)
  await writeFile(file, `#!/bin/sh\nexec '${process.execPath}' '${path.join(agents, script)}' '${setup}' "$@"\n`)
  await chmod(file, 0o755)
  // the version of Gemini CLI is in its package alone
  const manifest = { name: '@google/gemini-cli', version: settings.version }
  if (program === 'gemini') await writeFile(path.join(folder, 'package.json'), JSON.stringify(manifest))
  return file
}

interface Front {
  program: string
  script: string
  settings: Record<string, unknown>
}

/** The recording of this name, played by a stand-in for the CLI. */
export function playRecording(name: string, { program, variable }: RecordedCli): Recording {
  const { header, scenes } = readRecording(name)
  return {
    isPlayed: true,
    async run(scene, task, work) {
      const kept = scenes.get(scene)
      if (kept === undefined) throw new Error(`${name}: no scene "${scene}" is recorded`)
      const processes = kept.map((steps) => steps.map((step) => fillStep(step, placesOf(task))))
      await using gate = await openGate()
      const settings = { processes, gate: gate.port, version: header?.version }
      const front = await writeFront(task, scene, { program, script: 'play_cli.mjs', settings })
      const refusal = path.join(path.dirname(front), 'refusal')
      try {
        return await work({ ...task, credentials: { ...task.credentials, [variable]: front } })
      } finally {
        if (existsSync(refusal)) expect.fail(`${name}, "${scene}": ${readFileSync(refusal, 'utf8')}`)
        const started = readdirSync(path.dirname(front)).filter((one) => one.startsWith('process-'))
        expect(started, 'as many processes as were recorded').toHaveLength(kept.length)
      }
    },
  }
}

/** Lets the player go on once what it has written is read: this process reads it in the round of its loop that brings the request, or in the next. */
async function openGate() {
  const server = createServer(async (socket) => {
    socket.on('error', () => {}) // it may have been ended
    for (let round = 0; round < 4; round += 1) await setImmediate()
    socket.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    port: typeof address === 'object' ? address?.port : undefined,
    async [Symbol.asyncDispose]() {
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** The real CLI, recorded: what it gives is compared with what is kept, or takes its place. */
export function recordCli(name: string, { program, variable }: RecordedCli): FreshRecording {
  const kept = readRecording(name)
  const fresh: Scenes = new Map()
  const real = path.join(cliFolder, program)
  const version = findVersion(real)
  return {
    isPlayed: false,
    async run(scene, task, work) {
      const sides = (sideFiles[program] ?? []).map(({ match }) => ({ base: task.env.HOME, match: match.source }))
      const settings = { real, sides: [...sides, { base: task.cwd, match: startedFile.match.source }], version }
      const front = await writeFront(task, scene, { program, script: 'record_cli.mjs', settings })
      try {
        return await work({ ...task, credentials: { ...task.credentials, [variable]: front } })
      } finally {
        const steps = await readNotes(path.dirname(front), program, task)
        fresh.set(scene, steps)
        if (process.env.WHETSTONE_RECORD === 'write') await writeRecording(name, { kept, fresh, cli: program, version })
        else expectSameStarts(scene, steps, kept.scenes.get(scene) ?? [])
      }
    },
    compare() {
      const ran = [...kept.scenes].flatMap(([scene, steps]) => (fresh.has(scene) ? [steps] : []))
      const [all, then, now] = [listFacts(kept.scenes.values()), listFacts(ran), listFacts(fresh.values())]
      const lacking = (facts: Map<string, number>, there: Map<string, number>) =>
        [...facts].flatMap(([fact, scenes]) => (scenes >= 3 && !there.has(fact) ? [fact] : []))
      const [added, lost] = [lacking(now, all), lacking(then, now)]
      expect({ added, lost }, 'WHETSTONE_RECORD=write renews the recording').toEqual({ added: [], lost: [] })
    },
  }
}

/** The arguments and exit codes, as far as the processes ended by themselves both times. */
function expectSameStarts(scene: string, fresh: Step[][], kept: Step[][]): void {
  const [now, then] = [startsAndEnds(fresh), startsAndEnds(kept)]
  const expected = then.map((one, at) => (one.exit === null ? { ...one, exit: now[at]?.exit ?? null } : one))
  const seen = now.map((one, at) => (one.exit === null ? { ...one, exit: then[at]?.exit ?? null } : one))
  expect(seen, `WHETSTONE_RECORD=write renews "${scene}"`).toEqual(expected)
}

interface Written extends Pick<Header, 'cli' | 'version'> {
  kept: ReturnType<typeof readRecording>
  fresh: Scenes
}

/** Of a part of the scenes, the others stay as they were, and so does what is said of them all. */
async function writeRecording(name: string, { kept, fresh, cli, version }: Written): Promise<void> {
  const isWhole = [...kept.scenes.keys()].every((scene) => fresh.has(scene))
  const script = path.join(import.meta.dirname, '../../../scripts/engines_to_try.mjs')
  const sources = execFileSync(process.execPath, [script, '--hash', name], { encoding: 'utf8' }).trim()
  const now = { engine: name, cli, version, date: new Date().toISOString().slice(0, 10), sources }
  const header = isWhole ? now : (kept.header ?? now)
  if (isWhole) await widenTriedVersions(cli, version)
  const lines = [...new Map([...kept.scenes, ...fresh])].flatMap(([scene, steps]) => [{ scene }, ...steps.flat()])
  await writeFile(fileOf(name), printLines([header, ...lines]))
}

/** The range of versions of which a user is not warned. */
async function widenTriedVersions(cli: string, version: string): Promise<void> {
  const file = path.join(import.meta.dirname, '../../../src/engines/cli/tried_versions.json')
  const tried = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string[]>
  const all = [...(tried[cli] ?? []), version].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
  const ranges = { ...tried, [cli]: [all[0], all.at(-1)] }
  const lines = Object.entries(ranges).map(([name, range]) => `  "${name}": ["${range.join('", "')}"]`)
  await writeFile(file, `{\n${lines.join(',\n')}\n}\n`)
}

async function readNotes(folder: string, program: string, task: EngineTask): Promise<Step[][]> {
  const { session, cwd, home, root, 'root-dashed': dashed, stage, clis } = placesOf(task)
  const clean = createCleaner([
    [session ?? '', '{{session}}'],
    [cwd ?? '', '{{cwd}}'],
    [home ?? '', '{{home}}'],
    [root ?? '', '{{root}}'],
    [dashed ?? '', '{{root-dashed}}'],
    [stage ?? '', '{{stage}}'],
    [clis ?? '', '{{clis}}'],
  ])
  const find = (file: string) => {
    const below = path.relative(home ?? '', file)
    const side = (sideFiles[program] ?? []).find(({ match }) => match.test(below)) ?? startedFile
    return { side, name: file }
  }
  const numbers = readdirSync(folder).flatMap((name) => /^(\d+)\.jsonl$/.exec(name)?.[1] ?? [])
  return numbers
    .sort((a, b) => Number(a) - Number(b))
    .map((number) => {
      const lines = readFileSync(path.join(folder, `${number}.jsonl`), 'utf8')
        .trim()
        .split('\n')
      const raw = lines.map((line) => JSON.parse(line) as RawStep)
      return dropRepeats(readSteps(raw, find).map((step) => cleanStep(step, clean)))
    })
}

/** The folder of a CLI names its version; a script that starts it names the folder. */
function findVersion(program: string): string {
  if (!existsSync(program)) return ''
  const script = statSync(program).size < 1000 ? readFileSync(program, 'utf8') : ''
  const named = `${realpathSync(program)} ${script}`.replaceAll(/node-\d+\.\d+\.\d+/g, '')
  return /-(\d+\.\d+\.\d+)\//.exec(named)?.[1] ?? ''
}

/** Before an abort: a recording also has what the agent itself writes, a moment after the proxy has counted the response. */
export async function letAgentWrite(): Promise<void> {
  if (process.env.WHETSTONE_RECORD === 'write') await setTimeout(5000)
}
