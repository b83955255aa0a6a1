/** Checks a cloud's variables, and asks its server where a call that costs nothing exists. */
import type { CloudCredentials } from '../clouds/cloud.ts'
import { type CloudName, findCloud } from '../clouds/table.ts'
import type { Probe } from '../engine.ts'
import { findUnusableSetting } from '../tool_loop/sdk_settings.ts'
import { countTokensOnServer } from './probe_server.ts'

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
