/** A benchmark in containers that is ended early leaves none behind, or the next start removes it. */
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { fresh, whetstone } from '../../e2e/program.ts'
import { type FakeDocker, fakeDocker } from '../../fixtures/docker/fake_docker.ts'
import { needsSandbox } from '../../sandbox/needs_sandbox.ts'

const tasks = path.join(import.meta.dirname, '../../../workspaces/example-harbor')

needsSandbox('a benchmark that is ended early (on a stand-in for Docker)', () => {
  const containers = ({ env }: FakeDocker) => readdirSync(path.join(env.DOCKER_FAKE, 'containers'))

  /** How it ended, and the containers that were left. */
  async function endEarly(signal: 'SIGINT' | 'SIGKILL') {
    const docker = fakeDocker(fresh())
    const cwd = fresh()
    writeFileSync(path.join(cwd, 'agent.sh'), 'touch /output/begun; sleep 60\n')
    const args = ['bench', tasks, '--case', 'price-report', '--engine', 'command:sh agent.sh', '--backend', 'docker']
    const env = { ...docker.env, TMPDIR: fresh() }
    const isBegun = () =>
      docker.calls().some(({ words = [] }) => words[0] === 'exec' && words.some((word) => word.endsWith('/agent.sh')))
    const end = await whetstone([...args, '--runs', '1', '--concurrency', '1'], {
      cwd,
      env,
      started: (child) => {
        const look = setInterval(() => {
          if (!existsSync(path.join(docker.env.DOCKER_FAKE, 'calls.jsonl')) || !isBegun()) return
          clearInterval(look)
          child.kill(signal)
        }, 100)
      },
    })
    return { end, docker, env, cwd }
  }

  test('leaves no container after Ctrl-C', async () => {
    const { end, docker } = await endEarly('SIGINT')
    expect(end.code).toBe(130)
    expect(containers(docker)).toEqual([])
  })

  test('leaves one when it is killed, which the next start removes', async () => {
    const { docker, env, cwd } = await endEarly('SIGKILL')
    expect(containers(docker)).toHaveLength(1) // control
    writeFileSync(path.join(cwd, 'agent.sh'), 'true\n')
    const how = ['--engine', 'command:sh agent.sh', '--backend', 'docker']
    await whetstone(['eval', tasks, 'price-report', ...how], { cwd, env })
    expect(containers(docker)).toEqual([])
  })
})
