/** Reads what a report page carries, as the page itself does. */
import { gunzipSync } from 'node:zlib'
import type { EvidencePack, Page, RunDetail } from '../../schemas/page.ts'

/** Base64 of gzip, by key. */
export function packedIn(html: string): Map<string, string> {
  const found = html.matchAll(/<script type="text\/plain" data-key="([^"]+)">([A-Za-z0-9+/=]*)<\/script>/g)
  return new Map([...found].map(([, key = '', text = '']) => [key, text]))
}

function carried(html: string): Map<string, string> {
  return new Map([...packedIn(html)].map(([key, text]) => [key, gunzip(text)]))
}

function gunzip(base64: string): string {
  return gunzipSync(Buffer.from(base64, 'base64')).toString('utf8')
}

/** The summary of a page, without program and style. */
export function pageIn(html: string): Page {
  return JSON.parse(carried(html).get('page') ?? 'null')
}

export function packsIn(html: string): EvidencePack[] {
  return [...carried(html)].flatMap(([key, text]) => (key.startsWith('pack-') ? [JSON.parse(text)] : []))
}

export function detailsIn(html: string): RunDetail[] {
  return [...carried(html)].flatMap(([key, text]) => (key.startsWith('run-') ? [JSON.parse(text)] : []))
}

/** All that a page says, unpacked: to look for a text in it. */
export function textIn(html: string): string {
  return [html, ...carried(html).values()].join('\n')
}

/** A file of report.data/. */
export function sidecarIn(js: string): unknown {
  const [, data = ''] = /^whetstone\("[^"]+","([A-Za-z0-9+/=]*)"\)\n$/.exec(js) ?? []
  return JSON.parse(gunzip(data))
}
