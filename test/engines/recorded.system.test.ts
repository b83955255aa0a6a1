/** The contracts of engines that drive an agent CLI, each with a recording in place of the CLI. */
import { expect, test } from 'vitest'
import { contenders } from './contenders.ts'
import { contract } from './contract.ts'
import { contractOfConversations } from './contract_conversation.ts'
import { hasRecording, playRecording } from './recorded/recording.ts'

for (const [name, { recorded }] of Object.entries(contenders)) {
  if (recorded === undefined) continue
  const recording = playRecording(name, recorded)
  contract(name, recording)
  contractOfConversations(name, recording)
}

test('every engine that drives a CLI has its recording', () => {
  const names = Object.entries(contenders).filter(([name, { recorded }]) => recorded && !hasRecording(name))
  expect(names.map(([name]) => name)).toEqual([])
})
