/** opencode over ACP: `opencode acp`, in folders of its own, on Anthropic's or OpenAI's API. */
import { rm } from 'node:fs/promises'
import * as z from 'zod'
import { runProcess } from '../../../base/process/spawn.ts'
import type { CliLaunch } from '../../cli/headless_cli.ts'
import type { EngineContext, EngineTask } from '../../engine.ts'
import {
  chooseProviderModel,
  chooseProviderServer,
  effortsOfProvider,
  providerKeys,
} from '../../models/provider_model.ts'
import { opencodeEnvironment, opencodeFolders } from '../../opencode/argv.ts'
import { createOpencodeFolders, followOpencodeLog, opencode } from '../../opencode/opencode.ts'
import { opencodeCli, probeOpencode } from '../../opencode/probe.ts'
import { errorInLog, sumOpencodeTokens, toOpencodeStopReason } from '../../opencode/report.ts'
import { opencodeTokens } from '../../opencode/stream_records.ts'
import type { AcpPreset, AcpRun, SessionRecord } from './preset.ts'

/** Its own commands, which it lists with the skills. */
const ownCommands: readonly string[] = ['init', 'review']

export const opencodePreset: AcpPreset = {
  cli: opencodeCli,
  credentials: providerKeys,
  model: choosePricedModel,
  efforts: (model) => effortsOfProvider('opencode', model),
  server: (task) => chooseProviderServer('opencode', task),
  probe: probeOpencode,
  reports: async (model) => (await opencode.reports?.(model)) ?? { cost: false, tokens: true },
  open,
}

function choosePricedModel(model: string | null, credentials: EngineTask['credentials']) {
  const chosen = chooseProviderModel('opencode', model, credentials)
  return 'mistake' in chosen ? chosen : { model: chosen.id, provider: chosen.provider }
}

async function open(task: EngineTask, context: EngineContext): Promise<AcpRun> {
  const folders = opencodeFolders(task)
  await createOpencodeFolders(folders)
  const { log, isOver } = followOpencodeLog(task, context)
  return {
    args: ['acp', '--pure'],
    env: environment(task),
    ownCommands,
    poll: () => (isOver() ? errorInLog(log) : null),
    seen: () => ({ answered: log.calledTool, retrying: log.isFailing ? errorInLog(log) : null }),
    readRecord,
    finish() {
      log.catchUp()
      log.close()
    },
    clean: () => rm(folders.root, { recursive: true, force: true, maxRetries: 3 }),
  }
}

const object = z.record(z.string(), z.unknown())

/** Over ACP it would ask a model for a title of the session. */
function environment(task: EngineTask): Record<string, string> {
  const env = opencodeEnvironment(task)
  const config = object.parse(JSON.parse(env.OPENCODE_CONFIG_CONTENT ?? '{}'))
  return { ...env, OPENCODE_CONFIG_CONTENT: JSON.stringify({ ...config, agent: { title: { disable: true } } }) }
}

const session = z.looseObject({
  messages: z.array(
    z.looseObject({ info: z.looseObject({ tokens: opencodeTokens.optional(), finish: z.string().optional() }) }),
  ),
})

/** Over ACP it reports only the last response's tokens, none of a cancelled turn, and no cut at the output limit. */
async function readRecord(launch: CliLaunch, sessionId: string): Promise<SessionRecord | null> {
  const end = await runProcess({ ...launch, args: ['export', sessionId, '--pure'] })
  try {
    const { messages } = session.parse(JSON.parse(end.stdout))
    const usage = sumOpencodeTokens(messages.flatMap(({ info }) => (info.tokens === undefined ? [] : [info.tokens])))
    return { usage, stopReason: toOpencodeStopReason(messages.at(-1)?.info.finish ?? null) }
  } catch {
    return null
  }
}
