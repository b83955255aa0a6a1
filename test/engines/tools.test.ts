/** The tools of the Anthropic engine: what they do, and what they refuse. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdir, readFile, realpath, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { canonicalJson, sha256 } from '../../src/base/json/json.ts'
import { describeTools, selectTools } from '../../src/engines/tool_loop/tools/table.ts'
import type { ToolAnswer, ToolPlace } from '../../src/engines/tool_loop/tools/tool.ts'
import { cacheFormat } from '../../src/phases/1-plan/keys/cache_key.ts'
import { stageOfEachTest } from './stage.ts'

const stage = stageOfEachTest()
let place: ToolPlace
beforeEach(async () => {
  place = {
    cwd: await realpath(stage.cwd),
    env: stage.env,
    confined: false,
    sandbox: null,
    view: null,
    signal: new AbortController().signal,
  }
  await mkdir(path.join(stage.cwd, 'deep/er'), { recursive: true })
  await writeFile(path.join(stage.cwd, 'a.txt'), 'one\ntwo\nthree\n')
  await writeFile(path.join(stage.cwd, 'deep/er/b.md'), 'Two words\n')
  await writeFile(path.join(stage.home, 'secret.txt'), 'SECRET')
})

async function use(name: string, input: unknown, more: Partial<ToolPlace> = {}): Promise<ToolAnswer> {
  const tool = selectTools('all').find((one) => one.name === name)
  if (tool === undefined) throw new Error(`no tool ${name}`)
  return tool.run(input, { ...place, ...more })
}
const file = (name: string) => readFile(path.join(stage.cwd, name), 'utf8')

// what the SDK engines tell every model is part of no cache key but by the format's number: a change of it must raise that
test('the system prompt and the tools of the SDK engines are those of the cache format: else raise cacheFormat, then take the new hash', () => {
  const prompt = readFileSync(new URL('../../src/engines/tool_loop/system_prompt.md', import.meta.url), 'utf8')
  const tools = describeTools(selectTools('all'), null)
  expect([cacheFormat, sha256(canonicalJson({ prompt, tools })).slice(0, 16)]).toEqual([3, '6f1faf68f433f5ca'])
})

describe('answers', () => {
  test.each([
    ['Read', { file_path: 'a.txt' }, '1\tone\n2\ttwo\n3\tthree'],
    ['Read', { file_path: 'a.txt', offset: 2, limit: 1 }, '2\ttwo\n… 3 lines in all; go on with offset 3'],
    ['Glob', { pattern: '**/*' }, 'a.txt\ndeep/er/b.md'],
    ['Glob', { pattern: '*.md', path: 'deep/er' }, 'deep/er/b.md'],
    ['Glob', { pattern: '*.zip' }, '(no file fits)'],
    ['Grep', { pattern: 'tw', ignore_case: true }, 'a.txt:2:two\n./deep/er/b.md:1:Two words'],
    ['Grep', { pattern: 'two', path: 'a.txt' }, 'a.txt:2:two'],
    ['Grep', { pattern: 'Two', glob: '*.md', files_only: true }, './deep/er/b.md'],
    ['Grep', { pattern: 'nowhere' }, '(no line fits)'],
    ['Grep', { pattern: '-n' }, '(no line fits)'],
    ['Bash', { command: 'echo out; echo err >&2; pwd | xargs basename' }, 'out\nerr\nwork'],
    ['Bash', { command: 'cat' }, '(no output, exit code 0)'],
    ['Bash', { command: 'echo "$WHETSTONE_CANARY-$0"' }, '-bash'],
  ])('%s %j', async (name, input, text) => {
    const answer = await use(name, input)
    expect({ ...answer, text: sorted(name, answer.text) }).toEqual({ text: sorted(name, text), isError: false })
  })

  /** grep gives files in the order of the folder. */
  const sorted = (name: string, text: string) =>
    name === 'Grep'
      ? text
          .split('\n')
          .map((line) => line.replace(/^\.\//, ''))
          .sort()
          .join('\n')
      : text
})

describe('mistakes are told to the model', () => {
  test.each([
    ['Read', { file_path: 'none.txt' }, 'no such file'],
    ['Read', { file_path: 'deep' }, 'a folder'],
    ['Read', { file_path: 'a.txt', offset: 9 }, 'the file has 3 lines'],
    ['Read', { path: 'a.txt' }, 'file_path'],
    ['Read', { file_path: '/proc/self/environ' }, 'not a file that can be used'],
    ['Read', { file_path: '/dev/zero' }, 'not a file that can be used'],
    ['Write', { file_path: 'deep', content: '' }, 'not a plain file'],
    ['Edit', { file_path: 'a.txt', old_string: 'zzz', new_string: '' }, 'is not in it'],
    ['Edit', { file_path: 'a.txt', old_string: 'e', new_string: '' }, '3 times'],
    ['Glob', { pattern: '../*' }, 'without ..'],
    ['Glob', { pattern: '{a,..}/*' }, 'without ..'],
    ['Glob', { pattern: '/etc/*' }, 'relative to a folder'],
    ['Grep', { pattern: '(' }, 'grep:'],
    ['Bash', { command: 'exit 4' }, '(exit code 4)'],
    ['Bash', { command: 'kill -9 $$' }, 'SIGKILL'],
    ['Bash', { command: 'echo begun; sleep 60', timeout: 300 }, 'begun\n(ended: no end within 300 ms)'],
    ['Bash', {}, 'command'],
  ])('%s %j', async (name, input, message) => {
    expect(await use(name, input)).toMatchObject({ isError: true, text: expect.stringContaining(message) })
  })

  test('a pipe is not read: it would never end', async () => {
    execFileSync('sh', ['-c', 'mkfifo pipe'], { cwd: stage.cwd })
    expect(await use('Read', { file_path: 'pipe' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('not a plain file'),
    })
  })

  test('a binary file is named as such', async () => {
    await writeFile(path.join(stage.cwd, 'x.bin'), Buffer.from([1, 0, 2]))
    expect((await use('Read', { file_path: 'x.bin' })).text).toContain('a binary file (3 bytes)')
  })

  test('an image of more than 5 MB is not shown', async () => {
    const png = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(6_000_000)])
    await writeFile(path.join(stage.cwd, 'x.png'), png)
    expect(await use('Read', { file_path: 'x.png' })).toMatchObject({ isError: true })
  })
})

describe('a judge (confined) reads nothing outside of the folder', () => {
  beforeEach(async () => {
    await symlink(stage.home, path.join(stage.cwd, 'link'))
    await symlink(path.join(stage.home, 'secret.txt'), path.join(stage.cwd, 'link.txt'))
  })
  const attempts = () =>
    [
      ['Read', { file_path: path.join(stage.home, 'secret.txt') }],
      ['Read', { file_path: '../home/secret.txt' }],
      ['Read', { file_path: 'link.txt' }],
      ['Read', { file_path: 'link/secret.txt' }],
      ['Grep', { pattern: 'SECRET' }],
      ['Grep', { pattern: 'SECRET', path: 'link' }],
      ['Grep', { pattern: 'SECRET', path: '..' }],
      ['Glob', { pattern: '**/secret.txt', path: '..' }],
      ['Glob', { pattern: '**/secret.txt' }],
    ] as const
  test('confined: none of them shows it', async () => {
    for (const [name, input] of attempts()) {
      const { text } = await use(name, input, { confined: true })
      expect(text, `${name} ${JSON.stringify(input)}`).not.toMatch(/SECRET|home\/secret\.txt$/)
    }
  })
  test('not confined, it is there to be seen', async () => {
    for (const [name, input] of attempts().slice(0, 4)) {
      expect((await use(name, input)).text, `${name} ${JSON.stringify(input)}`).toContain('SECRET')
    }
  })
})

describe('work', () => {
  test('Write makes folders and keeps the content as it is', async () => {
    await use('Write', { file_path: 'new/x.txt', content: 'a$&\r\nü' })
    expect(await file('new/x.txt')).toBe('a$&\r\nü')
  })
  test('Edit replaces once, or all; $ has no meaning', async () => {
    await use('Edit', { file_path: 'a.txt', old_string: 'two', new_string: "$&'$1" })
    expect(await file('a.txt')).toBe("one\n$&'$1\nthree\n")
    await use('Edit', { file_path: 'a.txt', old_string: 'e', new_string: 'E', replace_all: true })
    expect(await file('a.txt')).toBe("onE\n$&'$1\nthrEE\n")
  })
  test('long output keeps head and tail', async () => {
    const { text } = await use('Bash', { command: 'echo HEAD; seq 1 100000; echo TAIL' })
    expect(text.length).toBeLessThan(31_000)
    expect(text).toMatch(/^HEAD[\s\S]*characters left out[\s\S]*TAIL$/)
  })
  test('a long line and a long file are cut', async () => {
    await writeFile(path.join(stage.cwd, 'long.txt'), `${'x'.repeat(5000)}\n${'y\n'.repeat(3000)}`)
    const { text } = await use('Read', { file_path: 'long.txt' })
    expect(text).toContain('… (line cut)')
    expect(text).toMatch(/3001 lines in all; go on with offset 2001$/)
  })
  test('abort rejects with the reason', async () => {
    const abort = new AbortController()
    const running = use('Bash', { command: 'sleep 60' }, { signal: abort.signal })
    abort.abort(new Error('enough'))
    await expect(running).rejects.toThrow('enough')
  })
})
