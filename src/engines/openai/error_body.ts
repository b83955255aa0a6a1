/** Error responses that name their message elsewhere than under `error`, where alone the SDK looks for it. */

/** `send`, whose refusals all have an `error`: FastAPI's servers call it `detail`, older ones of vLLM and llama.cpp have it at the top. */
export function withNamedErrors(send: typeof fetch): typeof fetch {
  return async (input, init) => {
    const response = await send(input, init)
    return response.ok || !isJson(response) ? response : new Response(nameError(await response.text()), response)
  }
}

function isJson({ headers }: Response): boolean {
  return /\bjson\b/.test(headers.get('content-type') ?? '')
}

function nameError(text: string): string {
  const body = parse(text)
  if (typeof body !== 'object' || body === null || 'error' in body) return text
  if ('message' in body) return JSON.stringify({ error: body })
  const detail = 'detail' in body ? body.detail : body
  return JSON.stringify({ error: { message: typeof detail === 'string' ? detail : JSON.stringify(detail) } })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
