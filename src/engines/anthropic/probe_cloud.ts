/** Checks whether a model can be asked on a cloud: variables, package, and where it can be asked the server. Costs nothing. */
import { UserError } from '../../base/errors/error.ts'
import { type CloudQuestion, findCloud, openCloudClient, splitCloud } from '../clouds/table.ts'
import type { Probe, ProbeRequest } from '../engine.ts'
import { anthropicModel } from '../models/providers.ts'
import { findUnusableSetting } from '../tool_loop/sdk_settings.ts'

/** Rejects only when aborted. */
export async function probeAnthropicCloud(
  request: Pick<ProbeRequest, 'model' | 'credentials' | 'signal'> & { cloud: string },
): Promise<Probe> {
  const { cloud, credentials, signal } = request
  const model = splitCloud(anthropicModel(request.model)).model ?? ''
  const failure = await probeCloudServer({ cloud, model, credentials, signal })
  if (failure !== null) return failure
  try {
    await openCloudClient(cloud, credentials, {})
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return { ok: false, kind: 'missing_binary', message: error.message, fix: error.fix ?? '' }
  }
  const { VERSION } = await import('@anthropic-ai/sdk/version')
  const { title, server } = findCloud(cloud)
  return { ok: true, version: VERSION, detail: `anthropic ${model} on ${title} at ${server(credentials)}` }
}

/** Null if nothing speaks against a run. Rejects only when aborted. */
export async function probeCloudServer(
  request: Pick<CloudQuestion, 'model' | 'credentials' | 'signal'> & { cloud: string },
): Promise<Extract<Probe, { ok: false }> | null> {
  const { model, credentials, signal } = request
  const { address, findGap, keys, keyIsFile, server, ask } = findCloud(request.cloud)
  const gap = findGap(credentials)
  if (gap !== null) return { ok: false, kind: 'credentials', ...gap }
  const url = server(credentials)
  const unusable = findUnusableSetting({ credentials, keys: keyIsFile ? [] : keys, address: { name: address, url } })
  if (unusable !== null || ask === undefined) return unusable
  const [name = ''] = keys
  const key = (credentials[name] ?? '').trim()
  return await ask({ url, model, key, names: { key: name, address }, credentials, signal })
}
