/** Every attack as root and as an ordinary user: in the sandbox it fails, without it the same script succeeds. */
import { execFileSync, type IOType, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { detectProcessLimit } from '../../../src/base/sandbox/process_limit.ts'
import { needsSandbox } from '../needs_sandbox.ts'
import { type Attack, attacks, bomb, hasReached, kernelAttacks, limits } from './attacks.ts'
import { canary, handedOn, layOut, type Outside } from './outside.ts'
import { addKey, readKey, removeKey } from './system_calls.ts'

const clone = path.join(import.meta.dirname, '../../..')
/** The program that starts the attacks, and what it imports. */
const driver = 'test/fixtures/programs/attacker.mjs'
const parts = [driver, 'dist/src/base', 'package.json', ...['zod', 'execa'].flatMap(withDependencies)]
const isRoot = process.getuid?.() === 0
const nobody = 65534

function withDependencies(name: string): string[] {
  const { dependencies = {} } = JSON.parse(readFileSync(path.join(clone, 'node_modules', name, 'package.json'), 'utf8'))
  return [`node_modules/${name}`, ...Object.keys(dependencies).flatMap(withDependencies)]
}

interface User {
  kind: 'root' | 'ordinary'
  id: number
}

/** As root both; else the user who runs the tests. */
const users: User[] = isRoot
  ? [
      { kind: 'root', id: 0 },
      { kind: 'ordinary', id: nobody },
    ]
  : [{ kind: 'ordinary', id: process.getuid?.() ?? nobody }]

interface Run {
  script: string
  cwd: string
  sandboxed: boolean
}

const skills = ['.claude/skills/demo', '.agents/skills/demo']

/** Runs a script as a user; gives what it said. */
async function runAs({ id }: User, at: Outside, { script, cwd, sandboxed }: Run): Promise<string> {
  const policy = {
    ...{ readable: [path.dirname(at.setuid)], writable: [cwd], hidden: [at.suite], scratch: ['/var/cache/tool'] },
    ...{ readOnly: skills.map((skill) => path.join(cwd, skill)), network: 'none', tmp: null, limits },
  }
  const stdio: (IOType | number)[] = ['ignore', 'pipe', 'inherit']
  while (stdio.length < handedOn) stdio.push('ignore')
  const child = spawn(
    process.execPath,
    [path.join(at.root, 'clone', driver), JSON.stringify({ cwd, script, policy: sandboxed ? policy : null })],
    {
      ...{ cwd, env: { PATH: '/usr/local/bin:/usr/bin:/bin' } },
      ...(isRoot ? { uid: id, gid: id } : {}),
      stdio: [...stdio, at.descriptor],
    },
  )
  if (child.stdout === null) throw new Error('no pipe for stdout')
  return JSON.parse(await text(child.stdout)).said
}

/** A working folder of a user, with the skill where each engine has it. */
function makeRoom(at: Outside, { id }: User): string {
  const cwd = mkdtempSync(path.join(at.root, 'work-'))
  for (const skill of skills) {
    mkdirSync(path.join(cwd, skill), { recursive: true })
    writeFileSync(path.join(cwd, skill, 'SKILL.md'), 'a skill')
  }
  if (isRoot) execFileSync('chown', ['-R', `${id}:${id}`, cwd])
  return cwd
}

interface Tried {
  said: Record<string, string>
  at: Outside
}

/** All attacks one after another in one sandbox, or without one. */
async function tryAll(user: User, outside: Outside, sandboxed: boolean): Promise<Tried> {
  const at = { ...outside, open: mkdtempSync(path.join(outside.root, 'open-')) }
  if (isRoot) execFileSync('chown', [`${user.id}`, at.open])
  const cwd = makeRoom(outside, user)
  const scripts = { ...scriptsOf(kernelAttacks, at), ...scriptsOf(attacks, at), bomb }
  const lines = Object.values(scripts).map((script, index) => `(\n${script}\n) > said-${index}.txt 2>&1`)
  writeFileSync(path.join(cwd, 'attack.sh'), `${lines.join('\n')}\n`)
  await runAs(user, at, { script: 'sh ./attack.sh', cwd, sandboxed })
  const read = (index: number) => readFileSync(path.join(cwd, `said-${index}.txt`), 'utf8')
  return { at, said: Object.fromEntries(Object.keys(scripts).map((name, index) => [name, read(index)])) }
}

const scriptsOf = (table: Record<string, Attack>, at: Outside) =>
  Object.fromEntries(Object.entries(table).map(([name, { script }]) => [name, script(at)]))

needsSandbox('attacks', () => {
  describe.each(users)('as $kind', (user) => {
    let outside: Outside
    let inside: Tried
    let free: Tried
    beforeAll(async () => {
      outside = await layOut(user.id)
      // a clone below /root is closed to an ordinary user
      for (const part of parts)
        cpSync(path.join(clone, part), path.join(outside.root, 'clone', part), { recursive: true })
      inside = await tryAll(user, outside, true)
      free = await tryAll(user, outside, false)
    })
    afterAll(() => outside[Symbol.asyncDispose]())

    test.each(Object.entries({ ...attacks, ...kernelAttacks }))('%s', (name, attack) => {
      expect(hasReached(attack, inside.said[name] ?? 'REACHED', inside.at), inside.said[name]).toBe(false)
      if (attack.only !== undefined && attack.only !== user.kind) return
      expect(hasReached(attack, free.said[name] ?? '', free.at), free.said[name]).toBe(true)
    })

    test.skipIf(user.kind === 'root' && detectProcessLimit().kind === 'none')('start processes without end', () => {
      expect(inside.said.bomb).toMatch(/fork/i)
      expect(inside.said.bomb).not.toContain('all started')
      expect(free.said.bomb).toContain('all started')
    })

    test.each([
      ["read a key of the user's keyring", false],
      ['leave a key for the next run', true],
    ])('%s', async (_name, isLeftByRun) => {
      const key = path.basename(outside.root) + isLeftByRun
      const cwd = makeRoom(outside, user)
      const run = (script: string, sandboxed: boolean) => runAs(user, outside, { script, cwd, sandboxed })
      await run(addKey(key, canary), isLeftByRun)
      expect(await run(readKey(key), true)).not.toContain(canary)
      await run(addKey(key, canary), false)
      expect(await run(readKey(key), false)).toContain(canary)
      await run(removeKey(key), false)
    })

    test('control: what an agent needs works in the sandbox', async () => {
      const script = [
        'echo a > mine; echo b > /var/cache/tool/b; cat mine /var/cache/tool/b',
        'for i in $(seq 50); do sleep 0.2 & done; wait; echo all started',
        'git init -q g && echo git; node -p 1+1; cat /proc/meminfo /proc/cpuinfo | grep -c MemTotal; ls -d /proc/[0-9]* | wc -l',
      ].join('\n')
      const cwd = makeRoom(outside, user)
      const said = await runAs(user, outside, { script, cwd, sandboxed: true })
      expect(said).toMatch(/^a\nb\nall started\ngit\n2\n1\n[1-9]\n/)
      expect(existsSync('/var/cache/tool/b')).toBe(false)
    })
  })
})
