/** Where a reader is, as the URL's hash: every view, filter and open row can be linked to. */
import { useLayoutEffect, useState } from 'preact/hooks'

export interface Route {
  /** Such as ['run', '1', 'with_skill', '2']. */
  path: string[]
  query: Record<string, string>
}

function parseRoute(hash: string): Route {
  const [path = '', search = ''] = hash.replace(/^#?\/?/, '').split('?')
  return {
    path: path.split('/').filter(Boolean).map(decoded),
    query: Object.fromEntries(new URLSearchParams(search)),
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** The address of a view; empty values are left out. */
export function link(path: readonly (string | number)[], query: Record<string, string | undefined> = {}): string {
  const search = new URLSearchParams(Object.entries(query).flatMap(([name, value]) => (value ? [[name, value]] : [])))
  const text = search.toString()
  return `#/${path.map((part) => encodeURIComponent(whole(`${part}`))).join('/')}${text === '' ? '' : `?${text}`}`
}

/** Half a character has no place in an address. */
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

/** The browser tells of the new address later: a key that comes before would act on the view before. */
export function go(address: string): void {
  location.hash = address
  dispatchEvent(new HashChangeEvent('hashchange'))
}

/** Changes the query of the view without a step in the history. */
export function amend(route: Route, query: Record<string, string | undefined>): void {
  const address = link(route.path, { ...route.query, ...query })
  history.replaceState(history.state, '', address)
  dispatchEvent(new HashChangeEvent('hashchange'))
}
