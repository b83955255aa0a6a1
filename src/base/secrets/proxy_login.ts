/** Finds the login that a variable for a proxy contains, such as HTTPS_PROXY=http://user:password@host:8080. Pure. */

export interface ProxyLogin {
  /** Without the colon; http if the value has none. */
  scheme: string
  /** As written: user:password, or one of them. */
  login: string
  /** The host and port. */
  place: string
}

/** null: no variable for a proxy, or no login in it. The login ends at the last @, as in curl. */
export function findProxyLogin(name: string, value: string): ProxyLogin | null {
  if (!/proxy$/i.test(name) || /no_?proxy$/i.test(name)) return null
  const [, scheme = 'http', login, place = ''] =
    /^(?:([a-z][a-z0-9+.-]*):\/\/)?(?:(.*)@)?([^@]*)$/is.exec(value.trim()) ?? []
  return login ? { scheme: scheme.toLowerCase(), login, place } : null
}

/** User and password as a proxy expects them: without percent-encoding. */
export function decodeLogin(login: string): string {
  const [user = '', ...password] = login.split(':')
  return [user, password.join(':')].map(decodeOrKeep).join(':')
}

/** Returns the text unchanged when its percent-encoding is invalid. */
function decodeOrKeep(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
