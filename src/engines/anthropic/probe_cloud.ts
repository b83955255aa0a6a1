/** Checks whether Claude can be asked on a cloud: variables, package, and on Foundry the server. Costs nothing. */
import { UserError } from '../../base/errors/error.ts'
import type { CloudCredentials } from '../clouds/cloud.ts'
import { type CloudName, findCloud, splitCloud } from '../clouds/table.ts'
import type { Probe, ProbeRequest } from '../engine.ts'
import { anthropicModel } from '../models/providers.ts'
import { findUnusableSetting } from '../tool_loop/sdk_settings.ts'
import { countTokensOnServer } from './address.ts'
import { openCloudClient } from './cloud_client.ts'

/** Rejects only when aborted. */
export async function probeAnthropicCloud(
  request: Pick<ProbeRequest, 'model' | 'credentials' | 'signal'> & { cloud: CloudName },
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

export interface CloudProbeRequest {
  cloud: CloudName
  /** The cloud's own name of it. */
  model: string
  credentials: CloudCredentials
  signal: AbortSignal
}

/** Null if nothing speaks against a run. Rejects only when aborted. */
export async function probeCloudServer(request: CloudProbeRequest): Promise<Extract<Probe, { ok: false }> | null> {
  const { cloud, model, credentials, signal } = request
  const { address, findGap, keys, server } = findCloud(cloud)
  const gap = findGap(credentials)
  if (gap !== null) return { ok: false, kind: 'credentials', ...gap }
  const url = server(credentials)
  const [key = ''] = keys
  const isPath = cloud === 'vertex'
  const unusable = findUnusableSetting({ credentials, keys: isPath ? [] : keys, address: { name: address, url } })
  if (unusable !== null || cloud !== 'foundry') return unusable
  const headers = { 'x-api-key': (credentials[key] ?? '').trim() }
  return countTokensOnServer({ url, headers, model, names: { key, address }, signal })
}
