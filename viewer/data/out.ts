/** What a reader says leaves the page in two ways: sent to the server of `view --serve`, or as a download. */

export const isServed = location.protocol !== 'file:' && document.documentElement.dataset.served === 'yes'

/** Why it was not saved; null: it was. `last`: the page is being left, and the browser sends it all the same. */
export function post(path: string, body: string, last = false): Promise<string | null> {
  const headers = { 'content-type': 'application/json' }
  return fetch(path, { method: 'POST', headers, body, keepalive: last }).then(
    async (answer) => (answer.ok ? null : `Not saved: ${(await answer.text()) || answer.status}`),
    () => 'Not saved: the server does not answer.',
  )
}

export function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
  const anchor = document.createElement('a')
  anchor.href = url
  anchor.download = name
  anchor.click()
  setTimeout(() => URL.revokeObjectURL(url), 1000)
}
