/** Writes `report.html`, a single file with program, style and data; its policy lets nothing else run, load or be sent. */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import type { Page, PageSaid } from '../../../../schemas/page.ts'
import { makeVisible } from '../../../base/text/show_control_characters.ts'
import { compileTemplate } from '../templates/templates.ts'

interface View extends Pick<PageSaid, 'headline' | 'suspicious' | 'sureness' | 'incomplete' | 'header'> {
  served: boolean
  policy: string
  nonce: string
  css: string
  js: string
  skill: string
  rows: { label: string; cells: string[] }[]
  notes: string[]
  data: { key: string; text: string }[]
}

const fill = compileTemplate<View>('page/report.html.hbs', 'html')

/** The built page program: next to dist/src, or in dist/ for code that runs from the sources. */
const places = ['../../../../viewer/', '../../../../dist/viewer/']

function readBuiltFile(name: string): string {
  const found = places.map((place) => new URL(`${place}${name}`, import.meta.url)).find((url) => existsSync(url))
  if (found === undefined) throw new Error(`dist/viewer/${name} is missing: run npm run build`)
  return readFileSync(found, 'utf8')
}

const program = { js: readBuiltFile('page.js'), css: readBuiltFile('page.css') }

export interface PageShell {
  page: Page
  /** Packed data inside the page, by key. */
  data: { key: string; text: string }[]
  /** Served by `view --serve`: the page may send requests to its own server. */
  served: boolean
}

/** The whole page. The nonce is a hash of the page's content, so that no text in it can contain the nonce. */
export function renderPageShell({ page, data, served }: PageShell): string {
  const all = [{ key: 'page', text: packValue(page) }, ...data]
  const hash = createHash('sha256').update(program.js).update(program.css)
  for (const { text } of all) hash.update(text)
  const nonce = hash.digest('base64url')
  const { said, benchmark } = page
  return fill({
    served,
    policy: policy(nonce, served),
    nonce,
    ...program,
    skill: makeVisible(benchmark.metadata.skill_name),
    headline: makeVisible(said.headline),
    suspicious: said.suspicious === null ? null : makeVisible(said.suspicious),
    sureness: said.sureness.map(makeVisible),
    incomplete: said.incomplete === null || page.running ? null : makeVisible(said.incomplete),
    header: said.header.map(makeVisible),
    rows: said.rows.map(([label = '', ...cells]) => ({ label, cells: cells.map(makeVisible) })),
    notes: benchmark.notes.map(makeVisible),
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

/** `level` 1 to 9: 6 for data inside the page, 1 where thousands of files are written. */
export function packValue(value: unknown, level = 6): string {
  return gzipSync(JSON.stringify(value), { level }).toString('base64')
}

/** A file next to the page: a script that passes its data on, because a page opened from disk can't read other files. */
export function buildSidecarScript(key: string, data: string): string {
  return `whetstone(${JSON.stringify(key)},"${data}")\n`
}
