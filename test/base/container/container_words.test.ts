/** The command lines for Docker and Podman. Neither has run them: no engine was available. */
import { describe, expect, test } from 'vitest'
import {
  clientEnvironment,
  endProgramWords,
  ownWords,
  programWords,
  startWords,
} from '../../../src/base/container/container_words.ts'

const request = {
  engine: 'docker' as const,
  name: 'whetstone-m',
  mark: 'm',
  image: 'task',
  mounts: [
    { from: '/t/world/app', at: '/app' },
    { from: '/t/a,b', at: '/x', readOnly: true },
  ],
  workdir: '/app',
  network: 'none' as const,
  processes: 9,
  fileBytes: 512,
}

describe('the start of a container', () => {
  test('confines it, and waits for programs', () => {
    expect(startWords(request).join(' ')).toBe(
      'run --detach --init --pull never --name whetstone-m --label whetstone=m --user 0:0 --workdir /app --network none ' +
        '--pids-limit 9 --ulimit fsize=512:512 --mount type=bind,source=/t/world/app,target=/app ' +
        '--mount type=bind,"source=/t/a,b",target=/x,readonly --entrypoint sleep task infinity',
    )
  })
  test.each([
    ['an open network is the usual one', { network: 'bridge' as const }, /^(?!.*--network)/],
    ['that of this machine is named', { network: 'host' as const }, /--network host/],
    ['limits of the task', { cpus: 1.5, memoryMb: 2048 }, /--cpus 1\.5 --memory 2048m/],
    ['Podman on SELinux', { engine: 'podman' as const }, /--security-opt label=disable/],
  ])('%s', (_what, change, words) => expect(startWords({ ...request, ...change }).join(' ')).toMatch(words))
})

describe('a program in a container', () => {
  const { words, env } = programWords({
    container: 'whetstone-m',
    cwd: '/app',
    env: { PATH: '/own/bin', HOME: '/t/world/root', ANTHROPIC_API_KEY: 'SECRET' },
    clientEnv: { PATH: '/usr/bin', HOME: '/home/someone', DOCKER_HOST: 'unix:///d.sock' },
    id: 'abc',
    command: ['bash', '-c', 'ls "$0"'],
  })
  test('keeps its words, folder and variables', () => {
    expect(words.slice(0, 4)).toEqual(['exec', '--interactive', '--workdir', '/app'])
    expect(words.slice(-6)).toEqual(['sh', '/own/bin', 'abc', 'bash', '-c', 'ls "$0"'])
    expect(words.join(' ')).toContain(
      '--env HOME=/t/world/root --env ANTHROPIC_API_KEY --env WHETSTONE_PROGRAM whetstone-m',
    )
  })
  test('shows no secret in its words, and leaves the client its own settings', () => {
    expect(words.join(' ')).not.toContain('SECRET')
    expect(env).toEqual({
      ...{ PATH: '/usr/bin', HOME: '/home/someone', DOCKER_HOST: 'unix:///d.sock' },
      ...{ ANTHROPIC_API_KEY: 'SECRET', WHETSTONE_PROGRAM: 'abc' },
    })
  })
  test('ends by its id', () => expect(endProgramWords('c', 'abc').slice(-2)).toEqual(['sh', 'abc']))
})

test('files get the owner of the folders', () => {
  expect(ownWords('c', '1000:100', ['/app']).join(' ')).toBe(
    'exec c find /app -xdev ! -user 1000 -exec chown -h 1000:100 {} +',
  )
})

test('the client gets its settings and no credential', () => {
  const user = {
    PATH: '/usr/bin',
    DOCKER_HOST: 'x',
    XDG_RUNTIME_DIR: '/run',
    ANTHROPIC_API_KEY: 'SECRET',
    EMPTY: undefined,
  }
  expect(clientEnvironment(user)).toEqual({ PATH: '/usr/bin', DOCKER_HOST: 'x', XDG_RUNTIME_DIR: '/run' })
})
