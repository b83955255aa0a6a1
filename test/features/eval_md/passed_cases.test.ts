/** The cache of EVAL.md, planned in this process: each part of the key changed alone runs its case again, anything else does not. */
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import type { EvalCaseResult } from '../../../schemas/eval_result.ts'
import { openPassCache } from '../../../src/features/eval_md/steps.ts'
import { planned } from '../../flows/eval/evaluate.ts'
import { folderOf } from '../../phases/1-plan/folder.ts'

const skill = (name: string) => `---\nname: ${name}\ndescription: Does ${name}.\n---\nDo.\n`
const head = '---\nsystem: Be kind.\nskills: [skills/a, skills/b]\n---\n'
const cases = '## one\n### Prompt\nHi\n### Expect\nIt greets.\n## two\n### Prompt\nBye\n### Expect\nIt parts.\n'
const files = {
  'package.json': '{}',
  'x.EVAL.md': `${head}${cases}`,
  'x.py': 'from . import y\nx = 1\n',
  'y.py': 'y = 1\n',
  'skills/a/SKILL.md': skill('a'),
  'skills/a/references/more.md': 'More.',
  'skills/b/SKILL.md': skill('b'),
  'agent/AGENT.md': '---\nname: neve\n---\nYou are Neve.\n',
  'agent/EVAL.md': '## three\n### Prompt\nHi\n### Expect\nIt greets.\n',
  'agent/helper/AGENT.md': '---\nname: helper\n---\nHelp.\n',
  'agent/skills/c/SKILL.md': skill('c'),
}

/** Names of the cases that a change makes run again, all of them having passed before. */
async function again(change: (folder: string) => object | undefined): Promise<string[]> {
  const folder = folderOf(files)
  const workspace = path.join(folder, 'ws')
  const open = async (wish = {}) => {
    const { plans, broken } = await planned(folder, { workspace, ...wish })
    if (broken[0] !== undefined) throw broken[0].error
    const how = { workspace, now: new Date(), use: true }
    return plans.map(({ plan }) => ({ plan, passes: openPassCache(plan, how, { env: {}, emit: () => {} }) }))
  }
  for (const { plan, passes } of await open()) {
    const passed = {
      verdict: 'pass',
      warnings: [],
      judge: { result: 'pass', reason: 'x', engine: null, model: null },
    } as const
    const made = plan.cases.map(({ eval_id, eval_name }): EvalCaseResult => {
      const rest = {
        eval_key: null,
        target: null,
        category: null,
        reason: null,
        run: null,
        checks: [],
        output_snippet: '',
      }
      return { eval_id, eval_name, duration_seconds: 1, cost_usd: 0, ...rest, ...passed, warnings: [] }
    })
    await passes.keep(folder, made)
  }
  const wish = change(folder)
  return (await open(wish)).flatMap(({ passes: { plan } }) =>
    plan.runs.flatMap(({ eval_id }) => plan.cases.find((one) => one.eval_id === eval_id)?.eval_name ?? []),
  )
}

const write = (name: string, text: string) => (folder: string) => {
  mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
  writeFileSync(path.join(folder, name), text)
  return undefined
}
const sidecar = (old: string, text: string) => {
  expect(files['x.EVAL.md']).toContain(old)
  return write('x.EVAL.md', files['x.EVAL.md'].replace(old, text))
}

describe('runs again', () => {
  test.each<[string, () => (folder: string) => object | undefined, string[]]>([
    ['the name', () => sidecar('## one', '## first'), ['first']],
    ['the prompt', () => sidecar('Hi', 'Hello'), ['one']],
    ['the rubric', () => sidecar('It greets.', 'It sings.'), ['one']],
    ['the system prompt', () => sidecar('Be kind.', 'Be brief.'), ['one', 'two']],
    ['the skill', () => write('skills/a/SKILL.md', skill('a').replace('Do.', 'Go.')), ['one', 'two']],
    ['a file of the skill', () => write('skills/a/references/more.md', 'Less.'), ['one', 'two']],
    ['a new file of the skill', () => write('skills/a/new.md', 'New.'), ['one', 'two']],
    ['a skill of the agent', () => write('agent/skills/c/SKILL.md', skill('c').replace('Do.', 'Go.')), ['three']],
    ['the tools', () => sidecar('system:', 'tools: SkillKit.Tools.Shell\nsystem:'), ['one', 'two']],
    ['the source', () => write('x.py', 'from . import y\nx = 2\n'), ['one', 'two']],
    ['what the source imports', () => write('y.py', 'y = 2\n'), ['one', 'two']],
    ['the agent', () => write('agent/AGENT.md', '---\nname: neve\n---\nYou are Eve.\n'), ['three']],
    ['a sub-agent', () => write('agent/helper/AGENT.md', '---\nname: helper\n---\nHelp us.\n'), ['three']],
    ['the engine', () => () => ({ engine: 'command:echo no' }), ['three', 'one', 'two']],
    ['the model', () => () => ({ engine: 'command:echo yes', model: 'm-2' }), ['three', 'one', 'two']],
    ['the judge', () => () => ({ judge: 'command:tac' }), ['three', 'one', 'two']],
    ['a case more', () => sidecar('## two', '## new\n### Prompt\nx\n### Expect\ny\n## two'), ['new']],
    ['nothing', () => () => undefined, []],
    ['a source that is not imported', () => write('z.py', 'z = 1\n'), []],
    ['metadata', () => sidecar('system:', 'metadata: { owner: sam }\nsystem:'), []],
    ['how many at once', () => () => ({ concurrency: 4 }), []],
  ])('%s', async (_, change, names) => expect(await again(change())).toEqual(names))
})
