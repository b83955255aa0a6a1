/** What `eval` prints of EVAL.md files: a line for each case in order of their paths, how the skill is used, and the exit code. */
import path from 'node:path'
import { expect, test } from 'vitest'
import { runMain } from '../../cli/run_main.ts'
import { folderOf, skillText } from '../../phases/1-plan/folder.ts'

const one = (name: string, front = '') => `${front}## ${name}\n### Prompt\nHi\n### Expect\nIt greets.\n`
const files = {
  'package.json': '{}',
  'b/sums/SKILL.md': skillText,
  'b/sums/EVAL.md': one('greets'),
  'bot/AGENT.md': '---\nname: bot\n---\nYou are Bot.\n',
  'bot/EVAL.md': one('speaks'),
  'a/deep/x.eval.md': one('offered', '---\nskills: b/sums\nactivation: natural\n---\n'),
}

async function printed(more: Record<string, string>, verdict: string) {
  const folder = folderOf({ ...files, ...more })
  const judges = ['--engine', 'command:echo Hello', '--judge', `command:echo VERDICT: ${verdict}`, '--sandbox=off']
  const end = await runMain(['eval', folder, ...judges, '--workspace', path.join(folder, 'ws')])
  const heads = [...end.stdout.matchAll(/\((eval\.md[^)]*)\)\n(\w+) +(\w+)/g)]
  return { ...end, heads: heads.map(([, how, word, name]) => [name, word, how]) }
}

test('the summary says how the skill is used, and nothing of it where there is none', async () => {
  const end = await printed({}, 'PASS')
  expect(end.heads).toEqual([
    ['offered', 'pass', 'eval.md, natural activation'],
    ['greets', 'pass', 'eval.md, loaded activation'],
    ['speaks', 'pass', 'eval.md'],
  ])
  expect([end.code, end.stdout]).toEqual([0, expect.stringContaining('3 of 3 passed')])
})

test('a fail ends with 1; a file that cannot be read ends with 3, is named, and stops no other', async () => {
  expect((await printed({}, 'FAIL')).code).toBe(1)
  const end = await printed({ 'c/EVAL.md': '---\nskills: [\n---\n## a\n### Prompt\nx\n### Expect\ny\n' }, 'PASS')
  expect(end.heads).toHaveLength(3)
  expect([end.code, end.stdout]).toEqual([3, expect.stringMatching(/error: .*\(\S*c\/EVAL\.md:2:\d+\)/)])
})
