/** Reads requests at the clouds' addresses of the same APIs: Bedrock, Vertex AI, Microsoft Foundry, Azure OpenAI and OpenRouter. */
import type { PracticeRequest } from '../request.ts'
import { isRecord } from '../scenario/strict_schema.ts'

interface CloudAddress {
  form: RegExp
  /** The path on the API's own server, and the fields that the cloud takes from the path instead of the body. */
  read: (parts: Readonly<Record<string, string>>) => { path: string; fields?: Record<string, unknown> }
}

const messages = '/v1/messages'

const addresses: readonly CloudAddress[] = [
  {
    form: /^\/model\/(?<model>[^/]+)\/invoke(?<stream>-with-response-stream)?$/,
    read: ({ model = '', stream }) => ({ path: messages, fields: { model, stream: stream !== undefined } }),
  },
  {
    form: /\/publishers\/anthropic\/models\/count-tokens:rawPredict$/,
    read: () => ({ path: `${messages}/count_tokens` }),
  },
  {
    form: /\/publishers\/anthropic\/models\/(?<model>[^/:]+):(?<method>rawPredict|streamRawPredict)$/,
    read: ({ model = '', method }) => ({ path: messages, fields: { model, stream: method === 'streamRawPredict' } }),
  },
  { form: /^\/anthropic(?<path>\/v1\/.+)$/, read: ({ path = '' }) => ({ path }) },
  {
    form: /^\/openai\/deployments\/(?<model>[^/]+)\/chat\/completions$/,
    read: ({ model = '' }) => ({ path: '/v1/chat/completions', fields: { model } }),
  },
  { form: /^\/openai(?:\/v1)?\/(?<rest>.+)$/, read: ({ rest = '' }) => ({ path: `/v1/${rest}` }) },
  { form: /^\/api(?<path>\/v1\/.+)$/, read: ({ path = '' }) => ({ path }) },
]

/** The request as the API's own server would get it; unchanged if it is not at a cloud's address. */
export function translateCloudRequest(asked: PracticeRequest): PracticeRequest {
  for (const { form, read } of addresses) {
    const found = form.exec(asked.path)
    if (found === null) continue
    const parts = Object.entries(found.groups ?? {}).flatMap(([name, value]) => {
      return value === undefined ? [] : [[name, decodeURIComponent(value)] as const]
    })
    const { path, fields = {} } = read(Object.fromEntries(parts))
    return {
      ...asked,
      path,
      body: addFields(asked.body, fields),
      framing: asked.path.startsWith('/model/') ? 'aws' : 'sse',
    }
  }
  return asked
}

function addFields(body: PracticeRequest['body'], fields: Record<string, unknown>): PracticeRequest['body'] {
  return body.kind === 'json' && isRecord(body.value) ? { kind: 'json', value: { ...body.value, ...fields } } : body
}
