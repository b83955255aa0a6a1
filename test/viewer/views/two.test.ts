/** `view --compare A B` where no browser is needed: what is refused, and what a page of two benchmarks says of them. */
import { renameSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { runMain } from '../../cli/run_main.ts'
import { fresh } from '../../e2e/program.ts'
import { drawPages } from '../draw.ts'
import { foreign } from '../foreign.ts'

const draw = drawPages()
async function pageOf(a: string, b: string): Promise<{ report: string }> {
  const end = await runMain(['view', '--compare', a, b, '--json'])
  expect(end.code, end.stderr).toBe(0)
  return { report: JSON.parse(end.stdout).page }
}

test.each<[(one: string, other: string) => string[], RegExp]>([
  [(one) => [one, one], /are the same benchmark/],
  [(one) => [one], /needs two benchmarks/],
  [(one, other) => [one, other, one], /needs two benchmarks/],
  [(one) => [one, 'nowhere'], /no such folder "nowhere"/],
  [(one, other) => [one, other, '--serve'], /--compare with --serve/],
])('%s is refused', async (args, message) => {
  const end = await runMain(['view', '--compare', ...args(foreign(), foreign()), '--json'], { cwd: fresh() })
  expect([end.code, end.stderr]).toEqual([2, expect.stringMatching(message)])
})
test('a remark is of the two that are compared', async () => {
  const page = await draw(await pageOf(foreign(true), foreign(true)), '#/case/1')
  expect(page.texts('.matrix .tag').at(-1)).toBe('B with skill and A with skill: passes in every run')
})
test('without a case in common there is no difference', async () => {
  const other = foreign()
  renameSync(path.join(other, 'first'), path.join(other, 'second'))
  const page = await draw(await pageOf(foreign(true), other), '#/')
  expect(page.texts('.arms [data-column=difference]')).toContain('–')
  expect((await draw(await pageOf(foreign(), foreign(true)), '#/')).text('h1')).toContain(': +100 points')
})
