/** Runs inside pi: says what it offers its model, keeps it on the exact model, and keeps a judge in its folder. */
import { readFileSync, realpathSync, writeSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import { VERSION } from '@mariozechner/pi-coding-agent'

/** provider, model and effort: as requested; maxTurns: null for no limit; readsOnlyBelow: the folder of a judge, null for an agent. */
const {
  provider,
  model: id,
  effort,
  maxTurns,
  readsOnlyBelow,
} = JSON.parse(readFileSync(new URL('limits.json', import.meta.url)))

/** @param {import('@mariozechner/pi-coding-agent').ExtensionAPI} pi */
export default function extend(pi) {
  pi.on('before_agent_start', async ({ systemPromptOptions }, { model, modelRegistry }) => {
    const known = modelRegistry.find(provider, id)
    // pi takes a model whose name only contains the requested one
    if (model !== undefined && model.id !== id) await pi.setModel(known ?? { ...model, id, name: id })
    // a level that the model lacks becomes the nearest one in silence
    if (effort !== null) pi.setThinkingLevel(effort)
    if (effort !== null && pi.getThinkingLevel() !== effort) {
      write({ type: 'whetstone_refusal', message: `pi would use ${pi.getThinkingLevel()} for ${id}, not ${effort}` })
      process.exit(1)
    }
    write({
      type: 'whetstone',
      version: VERSION,
      // pi gives a model that it doesn't know the price of another one
      priced: known !== undefined,
      skills: (systemPromptOptions.skills ?? []).filter((one) => !one.disableModelInvocation).map(({ name }) => name),
      tools: pi.getActiveTools(),
    })
  })
  let turns = 0
  pi.on('turn_end', () => {
    turns += 1
  })
  pi.on('tool_call', async ({ input }) => {
    // Whetstone is ending it by now, but its next answer may be there first
    if (maxTurns !== null && turns >= maxTurns) await new Promise(() => {})
    if (readsOnlyBelow === null) return undefined
    const file = findFile(input.path ?? '.')
    if (file === null) return { block: true, reason: `${input.path}: no such file` }
    if (!isBelow(file, realpathSync(readsOnlyBelow))) {
      return { block: true, reason: `${input.path} is outside of the working folder` }
    }
    input.path = file
    return undefined
  })
}

function write(record) {
  writeSync(1, `${JSON.stringify(record)}\n`)
}

/** The file that is behind a path, links followed; null: there is none. */
function findFile(text) {
  const plain = text.replace(/^@/, '').replace(/^~(?=\/|$)/, homedir())
  try {
    return realpathSync(path.resolve(readsOnlyBelow, plain))
  } catch {
    return null
  }
}

function isBelow(file, folder) {
  return file === folder || file.startsWith(folder + path.sep)
}
