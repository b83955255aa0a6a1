/** Unpacks data of the page: base64, gzip, JSON. */
import { revealHidden } from '../format.ts'

export async function unpack(base64: string): Promise<string> {
  const bytes = decodeBase64(base64.trim())
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))
  return new Response(stream).text()
}

export function decodeBase64(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64)
  const bytes = new Uint8Array(text.length)
  for (let index = 0; index < text.length; index += 1) bytes[index] = text.charCodeAt(index)
  return bytes
}

/** Hidden characters, raw or escaped inside JSON. */
const suspicious =
  /[\u007F-\u009F\u061C\u200B\u200E\u200F\u2028\u2029\u202A-\u202E\u2060-\u2069\uFEFF]|\\u00[01]|\\[bf]/

/** The parsed value; each text in it, property names too, shows hidden characters as their codes. */
export function parseVisible<T>(json: string): T {
  if (!suspicious.test(json)) return JSON.parse(json)
  return JSON.parse(json, (_key, value: unknown) => {
    if (typeof value === 'string') return revealHidden(value)
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return value
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [revealHidden(name), one]))
  })
}
