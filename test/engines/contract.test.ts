/** The contract of engines, over command, anthropic, openai. In files of their own, so that the slow ones run side by side. */
import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { listEngineNames } from '../../src/engines/table.ts'
import { contenders } from './contenders.ts'
import { contract } from './contract.ts'

const here = ['command', 'anthropic', 'openai']
for (const name of here) contract(name)

test('no engine is left out; the agents of acp and the servers of local have tests of their own', () => {
  const names = Object.values(contenders).map(({ engine }) => engine.name)
  expect([...names, 'acp', 'local'].sort()).toEqual([...listEngineNames()].sort())
  const files = readdirSync(import.meta.dirname)
  for (const name of Object.keys(contenders).filter((one) => !here.includes(one))) {
    const own = name.replaceAll('-', '_')
    expect(files).toContain(`contract_${own}.nightly.test.ts`)
  }
})
