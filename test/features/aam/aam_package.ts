/** A small AAM package, with other files where a test wants them. */
import type { Suite, SuiteCase } from '../../../schemas/suite.ts'
import { findSuites } from '../../../src/phases/1-plan/suite/find_suites.ts'
import { folderOf, skillText } from '../../phases/1-plan/folder.ts'

export const config = { version: 1, engine: 'claude-code' }
export const plain = 'name: one\ninput:\n  prompt: Do it.\njudge:\n  criteria: It is done.\n'
export const package_ = {
  'package.agent.json': '{"name":"@o/p","version":"1.2.3","description":"d"}',
  'evals/eval-config.json': JSON.stringify(config),
  'evals/cases/one.yaml': plain,
  'evals/fixtures/a.csv': 'a',
  'skills/sums/SKILL.md': skillText,
  'skills/other/SKILL.md': skillText.replace('sums', 'other'),
  'hooks/hooks.json':
    '{"version":1,"hooks":{"pre-tool-use":[{"matcher":"Write","hooks":[{"type":"command","command":"true"}]}]}}',
  'agents/auditor/agent.yaml': 'name: auditor\ndescription: Audits.\nsystem_prompt: p.md\n',
  'agents/auditor/p.md': 'You audit.',
}

export async function load(files: Record<string, string> = {}): Promise<Suite> {
  const [found] = await findSuites(folderOf({ ...package_, ...files }), 'aam')
  if (found === undefined) throw new Error('no suite')
  return found.load()
}

export async function theCase(text: string, files: Record<string, string> = {}): Promise<SuiteCase> {
  const { cases } = await load({ ...files, 'evals/cases/one.yaml': text })
  const [one] = cases
  if (one === undefined) throw new Error('no case')
  return one
}
