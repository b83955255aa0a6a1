// The world that chaos happens in: a queue server, a shared folder, a suite, workers and a coordinator, all real processes.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

export const top = mkdtempSync(path.join(tmpdir(), 'chaos-'))
chmodSync(top, 0o755)

/** A copy of the build, so that another build meanwhile changes nothing. */
const root = path.join(import.meta.dirname, '../..')
cpSync(path.join(root, 'dist'), path.join(top, 'dist'), { recursive: true })
cpSync(path.join(root, 'package.json'), path.join(top, 'package.json'))
symlinkSync(path.join(root, 'node_modules'), path.join(top, 'node_modules'))
const bin = path.join(top, 'dist/program/bin.js')

export const shared = path.join(top, 'shared')
mkdirSync(shared)
export const workspace = path.join(top, 'workspace')
export const agentLog = path.join(top, 'agents.log')
const agent = path.join(top, 'agent.sh')

async function freePort() {
  const server = createServer()
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address()
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** `addresses`: of this machine, on which it is reached, and nowhere else. */
export async function startServer(kind, addresses) {
  const port = await freePort()
  const one = kind === 'postgres' ? postgres(port, addresses) : redis(port, addresses)
  let child = null
  const server = {
    url: (host) => one.url(host, port),
    async start() {
      child = spawn(one.command, one.args, { stdio: 'ignore' })
      for (let tries = 0; !one.isUp(); tries += 1) {
        if (tries > 200) throw new Error(`${kind} does not come up`)
        await sleep(100)
      }
    },
    async kill() {
      const gone = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGKILL')
      await gone
    },
  }
  await server.start()
  return server
}

function redis(port, addresses) {
  const folder = mkdtempSync(path.join(top, 'redis-'))
  const args = ['--port', port, '--bind', ...addresses, '--protected-mode', 'no', '--dir', folder, '--save', '']
  return {
    command: 'redis-server',
    args: [...args, '--appendonly', 'yes', '--appendfsync', 'everysec', '--loglevel', 'warning'].map(String),
    url: (host) => `redis://${host}:${port}`,
    isUp: () => spawnSync('redis-cli', ['-p', String(port), 'ping'], { encoding: 'utf8' }).stdout === 'PONG\n',
  }
}

/** postgres refuses to run as root: then it runs as the user that its package made. */
function postgres(port, addresses) {
  const versions = '/usr/lib/postgresql'
  const programs = path.join(versions, readdirSync(versions).sort().at(-1), 'bin')
  const folder = mkdtempSync(path.join(top, 'postgres-'))
  const isRoot = process.getuid() === 0
  const [command, ...first] = isRoot ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'] : ['env']
  if (isRoot)
    chownSync(folder, Number(execFileSync('id', ['-u', 'postgres'])), Number(execFileSync('id', ['-g', 'postgres'])))
  const data = path.join(folder, 'data')
  execFileSync(command, [...first, path.join(programs, 'initdb'), '-D', data, '-U', 'queue', '-A', 'trust', '-N'], {
    stdio: 'ignore',
  })
  writeFileSync(path.join(data, 'pg_hba.conf'), addresses.map((one) => `host all all ${one}/24 trust\n`).join(''))
  const where = ['-c', `listen_addresses=${addresses.join(',')}`, '-c', `unix_socket_directories=${folder}`]
  return {
    command,
    args: [...first, path.join(programs, 'postgres'), '-D', data, '-p', String(port), ...where],
    url: (host) => `postgres://queue@${host}:${port}/postgres`,
    isUp: () => spawnSync(path.join(programs, 'pg_isready'), ['-h', '127.0.0.1', '-p', String(port)]).status === 0,
  }
}

/** Every agent says in one log what it begins and what it ends: the truth that all else is held against. */
export function makeSuite({ cases, ms }) {
  const skill = path.join(top, 'tidy')
  mkdirSync(path.join(skill, 'evals/files'), { recursive: true })
  writeFileSync(path.join(skill, 'SKILL.md'), '---\nname: tidy\ndescription: Tidies up.\n---\n\nSay TIDY.\n')
  writeFileSync(path.join(skill, 'evals/files/in.txt'), 'some input\n')
  const evals = Array.from({ length: cases }, (_, at) => ({
    id: at + 1,
    prompt: `task-${at + 1}`,
    files: ['evals/files/in.txt'],
    checks: [{ type: 'contains', value: 'TIDY' }],
  }))
  writeFileSync(path.join(skill, 'evals/evals.json'), JSON.stringify({ skill_name: 'tidy', evals }))
  writeFileSync(
    agent,
    `#!/bin/sh
task=$(cat)
arm=without_skill; said=messy
[ -e .claude/skills/tidy/SKILL.md ] && { arm=with_skill; said=TIDY; }
echo "start $$ $task $arm" >> "$AGENT_LOG"
sleep ${ms / 1000}
echo "$said"
echo "end $$ $task $arm" >> "$AGENT_LOG"
`,
  )
  return skill
}

const environment = (more) => ({ PATH: process.env.PATH, HOME: top, AGENT_LOG: agentLog, NO_COLOR: '1', ...more })

export function startCoordinator({ skill, url, runs, inFlight }) {
  const flags = ['--engine', `command:sh ${agent}`, '--runs', runs, '--workspace', workspace, '--sandbox', 'off']
  const queue = ['--queue', url, '--shared', shared, '--in-flight', inFlight, '--pass-env', 'AGENT_LOG', '--no-cache']
  const money = ['--budget', '1000000', '--cost-per-run', '1', '--retries', '10']
  const args = [bin, 'bench', skill, ...flags, ...queue, ...money, '--yes'].map(String)
  const temporary = mkdtempSync(path.join(top, 'tmp-coordinator-'))
  const child = spawn(process.execPath, args, {
    cwd: top,
    env: environment({ TMPDIR: temporary }),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said = (said + text).slice(-4000)
  })
  const done = new Promise((resolve) => child.once('close', (code, signal) => resolve({ code, signal, said })))
  return { child, done }
}

let workers = 0

/** `through`: a command that starts it, such as ip netns exec; `env`: more of its environment. */
export function startWorker({ url, places, through = [], env = {}, temporary }) {
  workers += 1
  const own = temporary ?? mkdtempSync(path.join(top, `tmp-worker-${workers}-`))
  const place = ['--queue', url, '--shared', shared, '--concurrency', places, '--lock', '2']
  const flags = [...place, '--sandbox', 'off', '--engines', 'command', '--json']
  const [command, ...args] = [...through, process.execPath, bin, 'queue', 'work', ...flags].map(String)
  const child = spawn(command, args, {
    cwd: top,
    env: environment({ TMPDIR: own, ...env }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const one = { child, number: workers, told: {}, reasons: {}, said: '', temporary: own }
  let rest = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop()
    for (const line of lines) {
      const { type, event = type, reason, message } = JSON.parse(line)
      one.told[event] = (one.told[event] ?? 0) + 1
      const why = (reason ?? message)?.replaceAll(/[0-9a-f]{12,}|\d+/g, '#').slice(0, 120)
      if (why) one.reasons[why] = (one.reasons[why] ?? 0) + 1
    }
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    one.said = (one.said + text).slice(-2000)
  })
  return one
}

/** Of the process itself, not of what started it. */
export function signalWorker({ child }, signal) {
  try {
    process.kill(child.pid, signal)
  } catch {}
}
