/** Shows an output file by its type; what can't be shown safely is a download with size and hash. */

import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { PageFile } from '../../../schemas/page.ts'
import { ownEntry } from '../../data/own_property.ts'
import type { CharacterSpan } from '../../data/quotes/quotes.ts'
import { decodeBase64 } from '../../data/unpack.ts'
import { bytesText, revealHidden } from '../../format.ts'
import { BoundedBox } from '../layout/scroll_box.tsx'
import { Code } from './code.tsx'
import { Table } from './csv_table.tsx'
import { JsonTree } from './json_tree.tsx'
import { Markdown } from './markdown.tsx'
import { SealedHtml } from './sealed_html.tsx'
import { Text } from './text.tsx'

type Kind = 'markdown' | 'json' | 'csv' | 'tsv' | 'html' | 'svg' | 'image' | 'pdf' | 'code' | 'other'

const kinds: Record<string, Kind> = {
  md: 'markdown',
  markdown: 'markdown',
  json: 'json',
  csv: 'csv',
  tsv: 'tsv',
  html: 'html',
  htm: 'html',
  xhtml: 'html',
  svg: 'svg',
  png: 'image',
  jpg: 'image',
  jpeg: 'image',
  gif: 'image',
  webp: 'image',
  pdf: 'pdf',
}
const imageTypes: Record<string, string> = { jpg: 'image/jpeg', jpeg: 'image/jpeg', svg: 'image/svg+xml' }

function fileExtension(path: string): string {
  return /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase() ?? ''
}

function outputKind({ path, as }: PageFile): Kind {
  const kind = ownEntry(kinds, fileExtension(path)) ?? 'code'
  const binary = kind === 'image' || kind === 'pdf'
  if (as === 'none') return 'other'
  return as === 'base64' && !binary ? 'other' : as === 'text' && binary ? 'code' : kind
}

interface Props {
  file: PageFile
  mark?: string
  /** The exact place of the mark; null: it is searched. */
  span?: CharacterSpan | null
  /** The run's folder, relative to the benchmark: it contains the whole file if the page cuts it. */
  folder?: string
  /** Scrolls into view. */
  target?: boolean
}

export function Output({ file, mark = '', span = null, folder = '', target = false }: Props) {
  const box = useRef<HTMLElement>(null)
  useEffect(() => {
    if (target && mark === '') box.current?.scrollIntoView({ block: 'start' })
  }, [target, mark])
  const [source, setSource] = useState(false)
  const kind = outputKind(file)
  const rendered = kind !== 'code' && kind !== 'other' && kind !== 'image' && kind !== 'pdf'
  return (
    <article class="output" ref={box} id={`file-${file.path}`}>
      <header class="section-head">
        <h3>
          <bdi>{revealHidden(file.path)}</bdi> <small>{bytesText(file.bytes)}</small>
        </h3>
        <span class="chips">
          {rendered && (
            <button type="button" aria-pressed={source} onClick={() => setSource(!source)}>
              {source ? 'Shown' : 'Source'}
            </button>
          )}
          <Download file={file} />
        </span>
      </header>
      {file.left_out !== null && (
        <p class="hint">
          {revealHidden(file.left_out)} {folder !== '' && <code>{revealHidden(`${folder}/outputs/${file.path}`)}</code>}
        </p>
      )}
      <BoundedBox>
        {mark !== '' && (rendered || kind === 'code') ? (
          <Text text={file.body} mark={mark} span={span} follow />
        ) : source ? (
          <Text text={file.body} />
        ) : (
          draw(kind, file)
        )}
      </BoundedBox>
      {file.sha256 !== null && (
        <details class="hint hash">
          <summary>sha256</summary>
          {file.sha256}
        </details>
      )}
    </article>
  )
}

function draw(kind: Kind, file: PageFile) {
  if (file.as === 'text' && file.body === '') return <p class="hint">The file is empty.</p>
  switch (kind) {
    case 'markdown':
      return <Markdown text={file.body} />
    case 'json':
      return <JsonTree text={file.body} />
    case 'csv':
      return <Table text={file.body} separator="," />
    case 'tsv':
      return <Table text={file.body} separator={'\t'} />
    case 'html':
      return <SealedHtml html={file.body} />
    case 'svg':
    case 'image':
      return <Picture file={file} />
    case 'pdf':
      return <Pdf file={file} />
    case 'code':
      return <Code text={file.body} language={fileExtension(file.path)} />
    case 'other':
      return whyHidden(file)
  }
}

/** A file that is left out says why itself. */
function whyHidden({ as, body, left_out }: PageFile) {
  if (as === 'none') return left_out === null ? <p class="hint">Not shown here: the page does not carry it.</p> : null
  const binary = decodeBase64(body).includes(0)
  const why = binary ? 'it is binary (it holds zero bytes)' : 'it is not UTF-8 text'
  return <p class="hint">Not shown here: {why}. Download it to open it.</p>
}

/** An address of the bytes within this page, revoked when the view closes. */
function useBlob(file: PageFile, type: string): string {
  const url = useMemo(() => {
    const content = file.as === 'text' ? file.body : decodeBase64(file.body)
    return URL.createObjectURL(new Blob([content], { type }))
  }, [file, type])
  useEffect(() => () => URL.revokeObjectURL(url), [url])
  return url
}

function Download({ file }: { file: PageFile }) {
  const url = useBlob(file, 'application/octet-stream')
  if (file.as === 'none' || file.left_out !== null) return null
  const name =
    file.path
      .split('/')
      .at(-1)
      ?.replaceAll(/[^\w.-]+/g, '_') || 'output'
  return (
    <a class="button" href={url} download={name}>
      Download
    </a>
  )
}

/** Inside an `img` an SVG can't run scripts or fetch anything. */
function Picture({ file }: { file: PageFile }) {
  const extension = fileExtension(file.path)
  const url = useBlob(file, ownEntry(imageTypes, extension) ?? `image/${extension}`)
  return <img src={url} alt={revealHidden(file.path)} />
}

function Pdf({ file }: { file: PageFile }) {
  const url = useBlob(file, 'application/pdf')
  return <iframe src={url} title={revealHidden(file.path)} />
}
