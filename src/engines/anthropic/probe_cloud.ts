/** Checks whether Claude can be asked on a cloud: variables, package, and on Foundry the server. Costs nothing. */
import { UserError } from '../../base/errors/error.ts'
import { type CloudName, findCloud, splitCloud } from '../clouds/table.ts'
import type { Probe, ProbeRequest } from '../engine.ts'
import { anthropicModel } from '../models/providers.ts'
import { openCloudClient } from './cloud_client.ts'
import { probeCloudServer } from './probe_cloud_server.ts'

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
