/** Checks whether a model can be asked on OpenRouter or Azure OpenAI: variables, key and server. Costs nothing. */
import { askServer, findModelIds, suggestModel } from '../answers/ask_server.ts'
import { azureVersionVariable } from '../clouds/azure.ts'
import { type CloudName, findCloud, splitCloud } from '../clouds/table.ts'
import type { Probe, ProbeRequest } from '../engine.ts'
import { findUnusableSetting } from '../tool_loop/sdk_settings.ts'
import { toProbeFailure } from './probe_server.ts'

type CloudProbeRequest = Pick<ProbeRequest, 'model' | 'credentials' | 'signal'> & { cloud: CloudName }

/** Rejects only when aborted. */
export async function probeOpenaiCloud(request: CloudProbeRequest): Promise<Probe> {
  const { cloud, credentials } = request
  const { findGap, title, server, keys, address } = findCloud(cloud)
  const gap = findGap(credentials)
  if (gap !== null) return { ok: false, kind: 'credentials', ...gap }
  const url = server(credentials)
  const unusable = findUnusableSetting({ credentials, keys, address: { name: address, url } })
  const failure = unusable ?? (await findServerFailure(request, url))
  if (failure !== null) return failure
  const { VERSION } = await import('openai/version')
  return { ok: true, version: VERSION, detail: `openai ${splitCloud(request.model).model} on ${title} at ${url}` }
}

/** OpenRouter lists its models to everybody, so the key is asked about first. Azure's list does not contain deployments. */
async function findServerFailure({ cloud, model, credentials, signal }: CloudProbeRequest, url: string) {
  const { keys, address } = findCloud(cloud)
  const [name = ''] = keys
  const key = (credentials[name] ?? '').trim()
  const names = { key: name, address }
  if (cloud === 'azure') {
    const version = credentials[azureVersionVariable]
    const path = version ? `/models?api-version=${encodeURIComponent(version)}` : '/models'
    const listed = await askServer({ base: url, path, headers: { 'api-key': key }, signal })
    return listed.as === 'answer' ? null : toProbeFailure(listed, url, names)
  }
  const headers = { authorization: `Bearer ${key}` }
  const own = await askServer({ base: url, path: '/key', headers, signal })
  if (own.as !== 'answer') return toProbeFailure(own, url, names)
  const listed = await askServer({ base: url, path: '/models', headers, signal })
  const known = listed.as === 'answer' ? findModelIds(listed.body) : null
  const id = splitCloud(model).model ?? ''
  // a model may have a suffix, such as :free or :nitro
  if (known === null || known.includes(id) || known.includes(id.replace(/:.*$/, ''))) return null
  const one = await askServer({ base: url, path: `/models/${encodeURIComponent(id)}`, headers, signal })
  if (one.as === 'answer') return null
  const message = `${url} does not know the model "${id}"`
  return { ok: false, kind: 'bad_request', message, fix: suggestModel(id, known) } as const
}
