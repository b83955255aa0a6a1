/** Saves notes and labels in two ways: to the server of `view --serve`, or as a download. */

export const isServed = location.protocol !== 'file:' && document.documentElement.dataset.served === 'yes'

/** Why something was not saved. */
export interface NotSaved {
  text: string
  /** False: there was no answer; a later attempt may succeed. */
  refused: boolean
}

/** null: it was saved. `last`: the page is closing, and the browser still sends it. */
export function post(path: string, body: string, last = false): Promise<NotSaved | null> {
  const headers = { 'content-type': 'application/json' }
  return fetch(path, { method: 'POST', headers, body, keepalive: last }).then(
    async (answer) =>
      answer.ok ? null : { text: `Not saved: ${(await answer.text()) || answer.status}`, refused: true },
    () => ({ text: 'Not saved: the server does not answer.', refused: false }),
  )
}

/** The message about text that waits for the server. */
export function unsavedNotice({ text }: NotSaved): string {
  return `${text} It is kept in this browser and sent again when the server answers.`
}

export function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
  const anchor = document.createElement('a')
  anchor.href = url
  anchor.download = name
  anchor.click()
  setTimeout(() => URL.revokeObjectURL(url), 1000)
}
