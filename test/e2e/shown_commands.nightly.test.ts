/** README and the tutorials: every command that they show runs and ends as the page says, against the practice model. */
import { execFileSync, spawn } from 'node:child_process'
import { appendFileSync, chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseScenario } from '../../src/features/practice/scenario/scenario.ts'
import { startPractice } from '../../src/features/practice/server.ts'
import { fresh, plainEnvironment } from './program.ts'

const root = path.join(import.meta.dirname, '../..')
const textOf = (file: string) => readFileSync(path.join(root, file), 'utf8')

/** The lines of the shell blocks of a page, without comments. */
function shownCommands(page: string): string[] {
  const blocks = [...textOf(page).matchAll(/^```(?:sh|bash)\n(.*?)^```/gms)].map(([, block = '']) => block)
  return blocks.flatMap((block) => block.split('\n').map((line) => line.replace(/ +#.*$/, '').trim())).filter(Boolean)
}

interface ShownCommand {
  command: string
  code: number | null
  output: string
}

/** A folder in which `whetstone` is a command and `npm root -g` holds the package, as after an installation. */
function openShell(env: Record<string, string>) {
  const home = fresh()
  const prefix = path.join(home, 'prefix')
  mkdirSync(path.join(prefix, 'bin'), { recursive: true })
  mkdirSync(path.join(prefix, 'lib/node_modules'), { recursive: true })
  symlinkSync(root, path.join(prefix, 'lib/node_modules/whetstone'))
  const program = path.join(prefix, 'bin/whetstone')
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${path.join(root, 'dist/program/bin.js')}" "$@"\n`)
  chmodSync(program, 0o755)
  const cwd = path.join(home, 'work')
  mkdirSync(cwd)
  const plain = plainEnvironment()
  const all = {
    ...plain,
    HOME: home,
    XDG_STATE_HOME: path.join(home, 'state'),
    npm_config_prefix: prefix,
    PATH: `${path.join(prefix, 'bin')}${path.delimiter}${plain.PATH}`,
    ...env,
  }
  return {
    cwd,
    run: (command: string): Promise<ShownCommand> => {
      const child = spawn('bash', ['-c', command], { cwd, env: all, stdio: ['ignore', 'pipe', 'pipe'] })
      let output = ''
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8').on('data', (text: string) => {
          output += text
        })
      }
      return new Promise((resolve, reject) => {
        child.once('error', reject)
        child.once('close', (code) => resolve({ command, code, output }))
      })
    },
  }
}

/** What a test can't run here. Everything else runs. */
const elsewhere = [
  /^(npm install --global whetstone|npx whetstone demo)$/, // needs the registry: test/e2e/package
  /^npm (ci|link|run demo)\b/, // of this very checkout; the scripts' names and the demo are tested
  /^export \w+=/, // the environment is the shell's from the start
  /^unset /,
  /^whetstone practice /, // the server runs in the test's process
]

type Shell = ReturnType<typeof openShell>

async function follow(shell: Shell, commands: readonly string[], before: (command: string) => void = () => {}) {
  const ends: ShownCommand[] = []
  for (const command of commands.filter((one) => !elsewhere.some((pattern) => pattern.test(one)))) {
    before(command)
    ends.push(await shell.run(command))
  }
  return ends
}

const practiceEnv = (url: string) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'practice' })

/** A page's commands one after the other, on a busy machine. */
const slow = { timeout: 300_000 }

describe('README', slow, () => {
  const commandsOfCi = () =>
    [...textOf('README.md').matchAll(/Elsewhere: `(whetstone [^`]*)`/g)].map(([, command = '']) =>
      command.replaceAll('\n', ' '),
    )

  test('every command of your own skill and of CI ends with 0', async () => {
    await using server = await startPractice({
      scenario: parseScenario(textOf('src/features/practice/any_skill.yaml'), 'any_skill.yaml'),
    })
    const shell = openShell(practiceEnv(server.url))
    const skill = path.join(shell.cwd, 'skills/pdf')
    mkdirSync(skill, { recursive: true })
    writeFileSync(path.join(skill, 'SKILL.md'), '---\nname: pdf\ndescription: Puts pages in order.\n---\n\nBy topic.\n')
    writeFileSync(path.join(shell.cwd, 'whetstone.config.yaml'), 'engine: anthropic\nruns: 1\n')
    const commands = [...shownCommands('README.md'), ...commandsOfCi()]
    expect(commands.filter((command) => command.startsWith('whetstone'))).toHaveLength(6)
    const ends = await follow(shell, commands, (command) => {
      if (!command.includes('git:origin/main')) return
      commitAsMain(shell.cwd)
      appendFileSync(path.join(skill, 'SKILL.md'), 'Then by date.\n')
    })
    expect(
      ends.map(({ command, code }) => [command, code]),
      ends.map(({ output }) => output).join('\n'),
    ).toEqual(ends.map(({ command }) => [command, 0]))
  })

  test('npm knows the scripts', () => {
    const { scripts } = JSON.parse(textOf('package.json'))
    const shown = shownCommands('README.md').flatMap((command) => command.split(' && '))
    const named = shown.flatMap((command) => /^npm run (\S+)$/.exec(command)?.[1] ?? [])
    expect(named).toEqual(['demo'])
    expect(named.filter((script) => !(script in scripts))).toEqual([])
  })
})

function commitAsMain(cwd: string): void {
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], { cwd })
  git('init', '--quiet')
  git('add', 'skills')
  git('commit', '--quiet', '-m', 'main')
  git('update-ref', 'refs/remotes/origin/main', 'HEAD')
}

/** The commands of a tutorial before its part about a real model. */
function offlinePart(page: string): string[] {
  const commands = shownCommands(page)
  const end = commands.findIndex((command) => command.startsWith('unset '))
  expect(end).toBeGreaterThan(4)
  return commands.slice(0, end)
}

/** The verdicts that a tutorial shows as output, each up to its first semicolon. */
const shownVerdicts = (page: string) =>
  [...textOf(page).matchAll(/^(?:Helps|Hurts|Inconclusive|Better)[^;\n]*/gm)].map(([verdict]) => verdict)

describe('the first benchmark', slow, () => {
  const page = 'docs/tutorial/first-benchmark.md'
  test('ends as the page shows, and finds the broken skill', async () => {
    await using server = await startPractice({
      scenario: parseScenario(textOf('workspaces/example/practice.yaml'), 'x'),
    })
    const shell = openShell(practiceEnv(server.url))
    const skill = path.join(shell.cwd, 'example/invoice-totals/SKILL.md')
    let isCommitted = false
    const ends = await follow(shell, offlinePart(page), (command) => {
      if (isCommitted && command.startsWith('whetstone bench')) {
        const text = readFileSync(skill, 'utf8')
        writeFileSync(skill, text.replace('node scripts/total.mjs <invoice.csv>\n', ''))
        isCommitted = false
      }
      if (command.includes('commit')) isCommitted = true
    })
    const output = ends.map((end) => end.output).join('\n')
    const codes = ends.map(({ command, code }) => [command, code])
    expect(codes, output).toEqual(ends.map(({ command }) => [command, command.includes('--fail-on hurts') ? 1 : 0]))
    for (const verdict of shownVerdicts(page)) expect(output).toContain(verdict)
    expect(shownVerdicts(page)).toHaveLength(3)
    expect(readFileSync(skill, 'utf8')).toContain('node scripts/total.mjs')
  })
})

/** The lines that a page shows as added and removed. */
const shownDiff = (page: string) => textOf(page).match(/^[+-]\w.*$/gm) ?? []

describe('the first improvement', slow, () => {
  const page = 'docs/tutorial/first-improvement.md'
  test('ends as the page shows, and the skill adds all numbers', async () => {
    const scenario = parseScenario(textOf('workspaces/example-improve/practice.yaml'), 'x')
    await using server = await startPractice({ scenario })
    const shell = openShell(practiceEnv(server.url))
    const ends = await follow(shell, offlinePart(page))
    const output = ends.map((end) => end.output).join('\n')
    expect(
      ends.map(({ command, code }) => [command, code]),
      output,
    ).toEqual(ends.map(({ command }) => [command, 0]))
    const [verdict = ''] = shownVerdicts(page)
    expect(shownVerdicts(page)).toHaveLength(1)
    const sessions = ends.filter(({ command }) => /^whetstone (demo|improve)(?!.*--copy)/.test(command))
    expect(sessions.map((end) => [end.command, end.output.includes(verdict)])).toEqual([
      ['whetstone demo --improve', true],
      ['whetstone improve example-improve/adder --engine anthropic:practice-1', true],
      [expect.stringContaining('--resume --apply --yes'), true],
    ])
    for (const line of shownDiff(page)) expect(sessions.at(-1)?.output.split('\n')).toContain(line)
    expect(shownDiff(page).length).toBeGreaterThan(6)
    const script = readFileSync(path.join(shell.cwd, 'example-improve/adder/scripts/add.sh'), 'utf8')
    expect(script).toContain('i < ARGC')
  })
})
