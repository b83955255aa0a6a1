/** bench --until decided, stopped in the middle of a block by Ctrl-C: no look at a part; it goes on to the same looks. */
import { expect, test } from 'vitest'
import { whetstone } from '../program.ts'
import { withModel } from './benched.ts'
import { benchUntil, inWorld, lookedIn, type Made, worlds } from './until.ts'

const most = ['--until', 'decided', '--concurrency', '4', '--max-runs', '3', '--no-cache']
const untouched = await inWorld(worlds.mixed, 7, (made) => benchUntil(made, ...most.slice(4)))

/** The program, stopped by Ctrl-C once the first look was made. */
function stopAfterTheLook({ skill, workspace, engine, env }: Made) {
  const args = ['bench', skill, '--workspace', workspace, '--engine', engine, ...most]
  return whetstone(args, {
    env,
    started: (child) => {
      let [said, isDone] = ['', false]
      child.stderr?.on('data', (text: string) => {
        said += text
        if (isDone || !said.includes('interim analysis after 1 block')) return
        isDone = child.kill('SIGINT')
      })
    },
  })
}

test('in the second block: the runs under way end, no look is made at the part; then on in the same benchmark', async () => {
  await inWorld(`latency: 400\n${worlds.mixed}`, 7, async (made) => {
    const end = await stopAfterTheLook(made)
    expect(end.code, end.stderr).toBe(130)
    const { until, made: before } = lookedIn(made.workspace)
    expect(until).toMatchObject({ blocks: 1, next: 2, stopped: null })
    expect(until?.looks).toHaveLength(1)
    expect(before.length).toBeLessThan(28)
    const after = await withModel(worlds.mixed, (env) => benchUntil({ ...made, env }, ...most.slice(4)))
    expect(after, after.stderr).toMatchObject({ code: 0, benchmarks: 1, until: { blocks: 3, stopped: 'max_runs' } })
    expect(after.until).toEqual(untouched.until)
    expect(after.made).toEqual(untouched.made)
    expect(after.made).toEqual(expect.arrayContaining(before))
  })
})
