/** Flags of bench that make no sense together, or nothing: refused before anything is looked at. */
import { expect, test } from 'vitest'
import { runMain, tidyAgent } from '../../cli/run_main.ts'
import { fresh, makeSkill } from '../program.ts'
import { tidyCases } from './benched.ts'

const skill = makeSkill(tidyCases(1))
const run = 'eval-1-task-1/with_skill/run-1'
const until = ['--until', 'decided']

test.each([
  [[...until, '--runs', '5'], '--until decided with --runs 5'],
  [['--max-runs', '5'], '--max-runs 5 without --until'],
  [[...until, '--rerun', run], '--rerun with --until'],
  [[...until, '--calibrate'], '--calibrate with --until'],
  [['--until', 'sure'], 'expected "decided"'],
  [['--calibrate', '--last-failed'], '--calibrate'],
  [['--calibrate', '--rerun', run], '--calibrate'],
  [['--rerun', run, '--case', '1'], '--rerun with --case'],
  [['--rerun', run, '--dry-run'], '--rerun with --dry-run'],
  [['--detect', '.2'], '--detect 0.2 without --dry-run'],
  [['--power', '.9'], '--power 0.9 without --dry-run'],
  [['--dry-run', '--detect', '20'], '--detect: expected a number above 0 and below 1'],
  [['--dry-run', '--power', '1'], '--power: expected a number above 0.05 and below 1'],
  [['--margin', '0.05'], '--margin'],
  [['--gate', 'worth > 1'], 'worth takes no value but a limit'],
  [['--matrix', 'anthropic:a,'], 'an empty entry'],
  [['--matrix', 'anthropic:haiku,anthropic:haiku'], 'the same'],
  [['--matrix', 'anthropic:a', '--engine', tidyAgent], '--engine'],
  [['--alone'], '--alone without --among'],
  [['--skills-folder', '../skills'], 'expected a path below the working folder'],
  [['--skills-folder', '/skills'], 'expected a path below the working folder'],
  [['--skills-folder', '.git/skills'], 'expected a path below the working folder'],
])('%j', async (flags, message) => {
  const engine = flags.includes('--matrix') ? [] : ['--engine', tidyAgent]
  const end = await runMain(['bench', skill, ...engine, '--workspace', fresh(), ...flags])
  expect([end.code, end.stderr]).toEqual([2, expect.stringContaining(message)])
})
