/** Which requests the credential proxy forwards, and at which path of the endpoint they arrive. Pure. */
import type { IncomingMessage } from 'node:http'

/** A method and a path below the base URL, such as `POST /v1/messages`; a part like `:model` stands for one name. */
export type AllowedRequest = `${'GET' | 'POST'} /${string}`

type AskedRequest = Pick<IncomingMessage, 'method' | 'url' | 'rawHeaders'>

/** The path and query that are sent to the endpoint; null: the request is none of the allowed ones. */
export function findForwardedPath(
  { method, url = '', rawHeaders }: AskedRequest,
  endpoint: URL,
  allowed: readonly AllowedRequest[],
): string | null {
  const path = endpointPath(endpoint, url)
  if (path === null || rawHeaders.some((name, index) => index % 2 === 0 && changesRequest(name))) return null
  const [place, search] = [path.pathname.slice(basePath(endpoint).length), path.search]
  if ([...path.searchParams.keys()].some((name) => changesRequest(name))) return null
  return allowed.some((one) => matches(one, `${method} ${place}`)) ? `${path.pathname}${search}` : null
}

/** Without the slashes at its end. */
export function basePath({ pathname }: URL): string {
  return pathname.replace(/\/+$/, '')
}

/** Whether servers and gateways take another method, path or host than the request's by a header or parameter of this name. */
function changesRequest(name: string): boolean {
  return changingNames.test(name.replaceAll('_', '-')) // CGI and WSGI know no difference
}

const changingNames = new RegExp(
  [
    String.raw`method-?override|^\W?(?:x-)?(?:http)?-?method$|^(?:x-)?forwarded(?:-|$)|^x-(?:original|rewrite|envoy)-|^x-host$`,
    // of gateways: x-portkey-custom-host, helicone-target-url, api_base
    '(?:custom|target|upstream|backend|override|openai|api)-(?:host|ur[il]|path|base|endpoint|address)|^base-?ur[il]$',
  ].join('|'),
  'i',
)

/** A name as models have it: an address with a slash or a colon in it is encoded. */
const namePattern = '(?:[\\w.~@:-]|%(?:2[fF]|3[aA]|40))+'

function matches(allowed: AllowedRequest, asked: string): boolean {
  const parts = allowed.split(/(?<=\/):\w+/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join(namePattern)}$`).test(asked)
}

/** The request's address, normalised once; null: it leads out of the base URL. */
function endpointPath(endpoint: URL, asked: string): URL | null {
  if (!asked.startsWith('/') || !URL.canParse(asked, endpoint.href) || climbs(asked)) return null
  const url = new URL(asked, endpoint)
  const isBelow = url.pathname.startsWith(`${basePath(endpoint)}/`)
  return url.origin === endpoint.origin && isBelow ? url : null
}

/** Whether the path leads upwards on a server that decodes it again, or reads a backslash or a parameter in it. */
function climbs(asked: string): boolean {
  let [path = ''] = asked.split('?', 1)
  for (let round = 0; round < 3; round += 1)
    path = path.replaceAll(/%(2e|2f|5c|3b|25)/gi, (code) => decodeURIComponent(code))
  return /(?:^|[/\\])\.\.(?:[/\\;]|$)/.test(path)
}
