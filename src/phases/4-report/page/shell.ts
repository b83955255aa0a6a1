/** `report.html`: one file with program, style and data inside; its policy lets nothing else run, load or be sent. */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import type { Page } from '../../../../schemas/page.ts'
import { template } from '../templates.ts'
import { visible } from '../words.ts'
import { packed } from './pack.ts'

interface View {
  served: boolean
  policy: string
  nonce: string
  css: string
  js: string
  skill: string
  headline: string
  sureness: string[]
  incomplete: string | null
  header: string[]
  rows: { label: string; cells: string[] }[]
  notes: string[]
  data: { key: string; text: string }[]
}

const fill = template<View>('page/report.html.hbs', 'html')

/** Where the program of the page is: beside dist/src, also for code that runs from the sources. */
const places = ['../../../../viewer/', '../../../../dist/viewer/']

function built(name: string): string {
  const found = places.map((place) => new URL(`${place}${name}`, import.meta.url)).find((url) => existsSync(url))
  if (found === undefined) throw new Error(`dist/viewer/${name} is missing: run npm run build`)
  return readFileSync(found, 'utf8')
}

const program = { js: '', css: '' }

export interface Shell {
  page: Page
  /** Packed data that lies in the page, by key. */
  data: { key: string; text: string }[]
  /** Served by `view --serve`: the page may speak to its own server. */
  served: boolean
}

/** The whole page. The nonce is a hash of all that the page holds: no text in it can know it. */
export function shell({ page, data, served }: Shell): string {
  program.js ||= built('page.js')
  program.css ||= built('page.css')
  const all = [{ key: 'page', text: packed(page) }, ...data]
  const hash = createHash('sha256').update(program.js).update(program.css)
  for (const { text } of all) hash.update(text)
  const nonce = hash.digest('base64url')
  const { said, benchmark } = page
  return fill({
    served,
    policy: policy(nonce, served),
    nonce,
    ...program,
    skill: visible(benchmark.metadata.skill_name),
    headline: visible(said.headline),
    sureness: said.sureness.map(visible),
    incomplete: said.incomplete === null || page.running ? null : visible(said.incomplete),
    header: said.header.map(visible),
    rows: said.rows.map(([label = '', ...cells]) => ({ label, cells: cells.map(visible) })),
    notes: benchmark.notes.map(visible),
    data: all,
  })
}

function policy(nonce: string, served: boolean): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    'img-src data: blob:',
    'frame-src blob:',
    `connect-src ${served ? "'self'" : "'none'"}`,
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types whetstone dompurify',
  ].join('; ')
}
