// Reads the text of a PDF page by page, with what is in form fields and notes. Runs no script of the document.

import { createRequire } from 'node:module'
import path from 'node:path'
import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs'

const folder = path.dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'))

/** Throws when it is broken, asks for a password, or no page has text. */
export async function readDocument(bytes) {
  const task = getDocument({
    data: new Uint8Array(bytes),
    isEvalSupported: false,
    disableFontFace: true,
    useSystemFonts: false,
    cMapUrl: `${folder}/cmaps/`,
    cMapPacked: true,
    standardFontDataUrl: `${folder}/standard_fonts/`,
    verbosity: 0,
  })
  const document = await task.promise.catch((error) => {
    throw new Error(error.name === 'PasswordException' ? 'it is encrypted: it asks for a password' : error.message)
  })
  const pages = []
  for (let number = 1; number <= document.numPages; number += 1) {
    const text = await readPage(await document.getPage(number))
    if (text !== '') pages.push(`# Page ${number}\n${text}`)
  }
  if (pages.length === 0) throw new Error(`none of its ${document.numPages} pages has text; a scan is an image`)
  return { text: pages.join('\n\n') }
}

async function readPage(page) {
  const { items } = await page.getTextContent()
  const text = items.map(({ str = '', hasEOL }) => (hasEOL ? `${str}\n` : str)).join('')
  const notes = (await page.getAnnotations()).flatMap(({ fieldName, fieldValue, contentsObj }) => [
    ...(fieldValue ? [`${fieldName}: ${fieldValue}`] : []),
    ...(contentsObj?.str ? [contentsObj.str] : []),
  ])
  return [text, ...notes].join('\n').trim()
}
