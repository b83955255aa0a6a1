/** GitHub Copilot CLI over ACP: `copilot --acp`, in folders of its own, as the copilot engine starts it. */
import { rm } from 'node:fs/promises'
import { copilotEffort, copilotEnvironment, copilotFolders } from '../../copilot/argv.ts'
import { copilot, createCopilotFolders } from '../../copilot/copilot.ts'
import { chooseCopilotServer, copilotModel } from '../../copilot/model.ts'
import { copilotCli } from '../../copilot/probe.ts'
import type { EngineTask, ProviderError } from '../../engine.ts'
import { saysContextFull } from '../../limits/context_full.ts'
import { classifyErrorText } from '../../limits/error_text.ts'
import { kindOfStatus } from '../../limits/http_status.ts'
import type { AcpPreset, AcpRun } from './preset.ts'

/** Its own commands, which it lists with the skills. */
const ownCommands =
  'add-dir after allow-all autopilot blame chronicle compact context cwd env every fleet init list-dirs mcp memory model permissions plan plugin remote rename research reset-allowed-tools review sandbox security-review session share skills subconscious usage'.split(
    ' ',
  )

export const copilotPreset: AcpPreset = {
  cli: copilotCli,
  engine: copilot,
  model(name, credentials) {
    const chosen = copilotModel(name, credentials)
    return 'mistake' in chosen ? chosen : { model: chosen.id, provider: chosen.provider }
  },
  server: chooseCopilotServer,
  describe({ rawInput, title }) {
    const isSkill = title?.startsWith('Using skill:') === true
    return isSkill ? { name: 'skill', input: rawInput ?? { title } } : null
  },
  readError,
  open,
}

/** It ends the turn as if all were well, with its retries and the error as text. */
function readError(text: string): ProviderError | null {
  const [, message] = /^(?:Info: [^\n]*?retrying\.\.\.)*Error: ([\s\S]+)$/i.exec(text) ?? []
  if (message === undefined) return null
  const [, status] = /(?:^|HTTP |Last error: )([45]\d\d)\b/.exec(message) ?? []
  if (saysContextFull(message)) return { kind: 'bad_request', message }
  return { kind: status === undefined ? classifyErrorText(message) : kindOfStatus(Number(status)), message }
}

async function open(task: EngineTask): Promise<AcpRun | string> {
  const model = copilotModel(task.model, task.credentials)
  if ('mistake' in model) return model.mistake
  await createCopilotFolders(task)
  return {
    args: ['--acp', '--no-auto-update', ...copilotEffort(task.effort)],
    env: copilotEnvironment(task, model),
    ownCommands,
    clean: () => rm(copilotFolders(task).root, { recursive: true, force: true, maxRetries: 3 }),
  }
}
