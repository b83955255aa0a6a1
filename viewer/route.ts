/** The current view as the URL's hash, so that every view, filter and open row has a link. */
import { useLayoutEffect, useState } from 'preact/hooks'

export interface Route {
  /** Such as ['run', '1', 'with_skill', '2']. */
  path: string[]
  query: Record<string, string>
}

function parseRoute(hash: string): Route {
  const [path = '', search = ''] = hash.replace(/^#?\/?/, '').split('?')
  return {
    path: path.split('/').filter(Boolean).map(decodeSegment),
    query: Object.fromEntries(new URLSearchParams(search)),
  }
}

function decodeSegment(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** The address of a view; empty values are omitted. */
export function routeLink(path: readonly (string | number)[], query: Record<string, string | undefined> = {}): string {
  const search = new URLSearchParams(Object.entries(query).flatMap(([name, value]) => (value ? [[name, value]] : [])))
  const text = search.toString()
  return `#/${path.map((part) => encodeURIComponent(whole(`${part}`))).join('/')}${text === '' ? '' : `?${text}`}`
}

/** Replaces half a surrogate pair, which an address can't contain. */
function whole(text: string): string {
  return text.replaceAll(/\p{Cs}/gu, '\uFFFD')
}

export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash)
  useLayoutEffect(() => {
    const changed = () => setHash(location.hash)
    addEventListener('hashchange', changed)
    return () => removeEventListener('hashchange', changed)
  }, [])
  return parseRoute(hash)
}

/** Dispatches the event itself, because the browser does so later: a key before that would reach the previous view. */
export function navigate(address: string): void {
  location.hash = address
  dispatchEvent(new HashChangeEvent('hashchange'))
}

/** Changes the query of the view without a new history entry. */
export function amendRoute(route: Route, query: Record<string, string | undefined>): void {
  const address = routeLink(route.path, { ...route.query, ...query })
  history.replaceState(history.state, '', address)
  dispatchEvent(new HashChangeEvent('hashchange'))
}
