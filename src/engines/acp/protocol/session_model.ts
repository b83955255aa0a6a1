/** Chooses the model of a session, as far as its agent lets a client do so. */
import * as z from 'zod'
import type { NewSessionResult } from './records.ts'
import type { AcpSession } from './session.ts'

type Models = Pick<NewSessionResult, 'configOptions' | 'models'>

/** The request that sets this model; `mistake`: why there is none. */
export type ModelRequest = { method: string; params: object } | { mistake: string; fix: string }

/** The model that the session has at its start; null: not reported. */
export function readCurrentModel(session: Models): string | null {
  const current = findOption(session)?.currentValue
  return typeof current === 'string' ? current : (session.models?.currentModelId ?? null)
}

/** How to set a model: by the session's option for it, or by the older request for models. Pure. */
export function requestModel(session: Models, model: string): ModelRequest {
  const option = findOption(session)
  const values = (option?.options ?? []).flatMap((one) =>
    'options' in one && Array.isArray(one.options) ? one.options.map(({ value }) => value) : [one.value],
  )
  if (option !== undefined && values.includes(model)) {
    return { method: 'session/set_config_option', params: { configId: option.id, value: model } }
  }
  const ids = session.models?.availableModels.map(({ modelId }) => modelId) ?? []
  if (ids.includes(model)) return { method: 'session/set_model', params: { modelId: model } }
  const offered = [...new Set([...values, ...ids].filter((one) => typeof one === 'string'))]
  if (offered.length === 0) {
    const fix = 'name the model in the command line ({model} is replaced), or remove --model'
    return { mistake: `the agent does not let a client choose its model (${model})`, fix }
  }
  const list = offered.slice(0, 20).join(', ')
  return { mistake: `the agent does not offer the model ${model}`, fix: `expected one of ${list}` }
}

/** Sets the model. Rejects with AcpError if the agent refuses it. */
export async function setModel(session: AcpSession, request: { method: string; params: object }): Promise<void> {
  await session.inSession(z.unknown(), request.method, request.params)
}

function findOption({ configOptions }: Models) {
  return configOptions?.find(({ id, category }) => category === 'model' || id === 'model')
}
