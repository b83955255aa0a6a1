/** Harbor tasks in containers, with the command line and a stand-in for Docker: Docker itself has not run them. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { probeSandbox } from '../../../src/base/sandbox/choose.ts'
import { runMain } from '../../cli/run_main.ts'
import { type FakeDocker, fakeDocker } from '../../fixtures/docker/fake_docker.ts'
import { needs } from '../../require.ts'
import { fresh } from '../program.ts'

const works = (await probeSandbox(process.env.PATH ?? '')).ok
const tasks = path.join(import.meta.dirname, '../../../workspaces/example-harbor')

/** Uses the skill where it is installed; says what it sees of the tests, and plants a reward. */
const agent = `cat > /dev/null
echo "tests: $(cat /tests/* /solution/* 2>&1)"
mkdir -p /logs/verifier && echo '{"reward": 1}' > /logs/verifier/reward.json
if [ -e .claude/skills/totals/SKILL.md ]; then
  awk -F, 'NR > 1 { sum += $2 } END { printf "%.2f\\n", sum }' /data/prices.csv > /output/total.txt
fi
echo done > note.txt
`

async function bench(docker: FakeDocker, ...more: string[]) {
  const cwd = fresh()
  writeFileSync(path.join(cwd, 'agent.sh'), agent)
  const engine = ['--engine', 'command:sh agent.sh', '--runs', '1', '--workspace', 'ws']
  const args = ['bench', tasks, '--case', 'price-report', ...engine, ...more]
  const end = await runMain(args, { cwd, env: docker.env })
  const runs = path.join(cwd, 'ws/benchmarks')
  const read = (configuration: string, file: string) => {
    const [benchmark = ''] = readdirSync(runs)
    const [folder = ''] = readdirSync(path.join(runs, benchmark)).filter((name) => name.startsWith('eval-'))
    return JSON.parse(readFileSync(path.join(runs, benchmark, folder, configuration, 'run-1', file), 'utf8'))
  }
  return { end, read }
}

needs(
  'bubblewrap that works',
  works,
  'apt-get install bubblewrap',
)('bench in containers (on a stand-in for Docker)', () => {
  test('gives the reward of the task, with and without its skill, and shows no test to the agent', async () => {
    const docker = fakeDocker(fresh())
    const { end, read } = await bench(docker, '--backend', 'docker')
    expect(end.stderr + end.stdout).toContain('50% with the skill, 0% without')
    expect(end.stdout + end.stderr).toContain(`Harbor tasks: containers of ${docker.env.PATH.split(':')[0]}/docker`)
    for (const configuration of ['with_skill', 'without_skill']) {
      const run = read(configuration, 'run.json')
      expect(run).toMatchObject({ status: 'completed', sandbox: { mechanism: 'container', network: 'none' } })
      expect(run.final_response).not.toContain('#!/bin/bash')
      expect(run.final_response).toContain('/tests/*')
      expect(run.outputs.files.map(({ path: file }: { path: string }) => file)).toEqual(['note.txt'])
    }
    expect(readdirSync(path.join(docker.env.DOCKER_FAKE, 'containers'))).toEqual([])
    expect(docker.called('build')).toHaveLength(1)
  })

  test('check tries the tasks there', async () => {
    const docker = fakeDocker(fresh())
    const end = await runMain(['check', tasks, '--oracle', '--null', '--json', '--backend', 'docker'], {
      env: docker.env,
    })
    const [{ tasks: tried }] = JSON.parse(end.stdout).skills
    expect(tried.map(({ name, sound }: { name: string; sound: boolean }) => [name, sound])).toContainEqual([
      'price-report',
      true,
    ])
    expect(tried.map(({ name, sound }: { name: string; sound: boolean }) => [name, sound])).toContainEqual([
      'round-half',
      false,
    ])
  })
})

describe('--backend', () => {
  const down = () => {
    const docker = fakeDocker(fresh())
    writeFileSync(path.join(docker.env.DOCKER_FAKE, 'down'), '')
    return docker
  }
  test('docker without its engine is refused, with the fix', async () => {
    const { end } = await bench(down(), '--backend', 'docker')
    expect(end.code).toBe(2)
    expect(end.stderr).toContain('--backend docker: docker info: Cannot connect to the Docker daemon')
    expect(end.stderr).toContain('hint: start Docker')
  })
  test('auto takes the next one, where neither Docker nor Podman answers', async () => {
    const docker = down()
    const [bin = ''] = docker.env.PATH.split(path.delimiter)
    writeFileSync(path.join(bin, 'podman'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
    const { end } = await bench(docker, '--dry-run')
    expect(end.stdout + end.stderr).toMatch(works ? /Harbor tasks: bubblewrap/ : /start Docker or Podman/)
  })
  test('refuses an agent in a container that can not reach its model, and accepts it with an open network', async () => {
    const docker = fakeDocker(fresh())
    const bin = path.join(fresh(), 'own')
    mkdirSync(bin)
    const program = path.join(bin, 'claude')
    writeFileSync(program, '#!/bin/sh\necho "2.1.90 (Claude Code)"\n', { mode: 0o755 })
    const how = ['--case', 'price-report', '--engine', 'claude-code', '--backend', 'docker', '--dry-run']
    const args = ['bench', tasks, ...how]
    const env = { ...docker.env, WHETSTONE_CLAUDE: program, ANTHROPIC_API_KEY: 'x' }
    const closed = await runMain(args, { env })
    expect(closed.stdout + closed.stderr).toContain("which have no network, so it can't reach its model")
    const open = await runMain([...args, '--network', 'open'], { env })
    expect(open.stdout + open.stderr).not.toContain("can't reach its model")
    const ofSystem = await runMain([...args, '--network', 'open'], {
      env: { ...env, WHETSTONE_CLAUDE: '/usr/bin/env' },
    })
    expect(ofSystem.stdout + ofSystem.stderr).toContain('/usr/bin/env is in a folder of the system')
  })
})
