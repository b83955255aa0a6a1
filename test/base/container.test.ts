/** The command lines for Docker and Podman. Neither has run them: no engine was available. */
import { describe, expect, test } from 'vitest'
import { clientEnvironment, endProgramWords, programWords } from '../../src/base/container.ts'

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
