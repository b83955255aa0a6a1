/** GitHub Copilot CLI over ACP: `copilot --acp`, in folders of its own, as the copilot engine starts it. */
import { readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { toStopReason } from '../../answers/stop_reason.ts'
import { copilotEffort, copilotEnvironment, copilotFolders, copilotServers } from '../../copilot/argv.ts'
import { copilot, createCopilotFolders } from '../../copilot/copilot.ts'
import { chooseCopilotServer, copilotModel } from '../../copilot/model.ts'
import { copilotCli } from '../../copilot/probe.ts'
import { CopilotRequestLog } from '../../copilot/request_log.ts'
import { CopilotSession } from '../../copilot/session_file.ts'
import type { EngineTask, ProviderError } from '../../engine.ts'
import { findServerError } from '../../environment/broken_servers.ts'
import { readSuiteServers } from '../../environment/suite_servers.ts'
import { saysContextFull } from '../../limits/context_full.ts'
import { classifyErrorText } from '../../limits/error_text.ts'
import { kindOfStatus } from '../../limits/http_status.ts'
import { knownUsage } from '../../models/usage.ts'
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
  open,
}

/** The error of its provider that ended a session; over ACP it is only a text, and the turn ends as if all were well. */
function toProviderError({ message, status }: { message: string; status: number | null }): ProviderError {
  if (saysContextFull(message)) return { kind: 'bad_request', message }
  const named = /(?:^|HTTP |Last error: )([45]\d\d)\b/.exec(message)?.[1]
  const code = status ?? (named === undefined ? null : Number(named))
  return { kind: code === null ? classifyErrorText(message) : kindOfStatus(code), message }
}

async function open(task: EngineTask): Promise<AcpRun | string> {
  const model = copilotModel(task.model, task.credentials)
  if ('mistake' in model) return model.mistake
  await createCopilotFolders(task)
  const { home, logs, root } = copilotFolders(task)
  const session = new CopilotSession(() => findSession(path.join(home, 'session-state')))
  const requests = new CopilotRequestLog(logs)
  const catchUp = () => {
    session.catchUp()
    requests.catchUp()
  }
  return {
    args: ['--acp', '--no-auto-update', ...copilotEffort(task.effort), ...copilotServers(await readSuiteServers(task))],
    // in session/new it rejects servers that are programs
    takesServers: true,
    env: copilotEnvironment(task, model),
    ownCommands,
    poll() {
      catchUp()
      return findServerError(requests.brokenServers)
    },
    seen: () => ({ answered: session.usage !== null, retrying: findRetry(session, requests) }),
    readRecord() {
      catchUp()
      const error = session.error === null ? null : toProviderError(session.error)
      return {
        usage: session.usage === null ? null : knownUsage(session.usage),
        stopReason: toStopReason(session.finishReason),
        // a short turn can be over before the next poll
        error: findServerError(requests.brokenServers) ?? error,
      }
    },
    finish: catchUp,
    clean() {
      session.close()
      requests.close()
      return rm(root, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

/** Its own record of the only session in the folder: the session's id is the agent's choice. */
function findSession(folder: string): string | null {
  const id = readdirSync(folder).find((name) => !name.startsWith('.'))
  return id === undefined ? null : path.join(folder, id, 'events.jsonl')
}

/** The failure of the request that it will send again, or has sent again; null: the last one was answered. */
function findRetry({ answeredAt }: CopilotSession, { failure }: CopilotRequestLog): ProviderError | null {
  if (failure === null || failure.at < answeredAt) return null
  const { status } = failure
  if (status === null) return { kind: 'server_error', message: 'the connection to the model broke off' }
  return { kind: kindOfStatus(status), message: `the model's server answered ${status}` }
}
