/** What the SDK engines have in common: the suite's environment, the temperature, and keys and addresses that no request can be sent with. */
import { splitCloud } from '../clouds/table.ts'
import type { Engine, EngineTask, Probe, SupportedEnvironment } from '../engine.ts'

export interface EngineSettings {
  credentials: Readonly<Record<string, string>>
  keys: readonly string[]
  /** The server's address, and the variable that sets it. */
  address: { name: string; url: string }
}

/** What is wrong with the settings; null: nothing. The message never shows a key, as an error of fetch would. */
export function findUnusableSetting({
  credentials,
  keys,
  address,
}: EngineSettings): Extract<Probe, { ok: false }> | null {
  const broken = keys.find((name) => /[^\x21-\x7e]/.test((credentials[name] ?? '').trim()))
  if (broken !== undefined) {
    const message = `${broken} contains white space, a line break or another character that is not allowed in a key`
    return { ok: false, kind: 'credentials', message, fix: `export ${broken} again with only the key` }
  }
  const { name, url } = address
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return null
  const fix = 'set an address that starts with https:// or http://, or unset it'
  return { ok: false, kind: 'bad_request', message: `${name} is not a web address: "${url}"`, fix }
}

/** Empty if the suite sets none: models differ in what they accept. */
export function temperatureSetting({ environment }: EngineTask): { temperature?: number } {
  return environment?.temperature === undefined ? {} : { temperature: environment.temperature }
}

const toolLoopSupport: SupportedEnvironment = {
  hooks: ['PreToolUse', 'PostToolUse', 'Stop'],
  rules: true,
  agents: true,
  agent_fields: ['tools', 'disallowedTools'],
  mcp_servers: true,
  system_prompt: true,
  temperature: true,
  tools: true,
}

export const sdkSkillsFolder = '.claude/skills'

export const sdkEngine = {
  readsAbove: false,
  skillsFolder: sdkSkillsFolder,
  seesImages: 'attached',
  supports: toolLoopSupport,
  continuesSession: true,
  lacksTools: async () => false,
} satisfies Partial<Engine>

/** `modelOf`: the id of a model, with the cloud that it runs on, if any. */
export function reportsOfSdk(
  provider: string,
  modelOf: (model: string | null) => string,
): NonNullable<Engine['reports']> {
  return async (model) => {
    const { isPriced } = await import('../models/cost.ts')
    const { cloud, model: id } = splitCloud(modelOf(model))
    const priced = { model: id ?? '', provider: cloud ?? provider }
    return { cost: await isPriced(priced), tokens: true, priced }
  }
}
