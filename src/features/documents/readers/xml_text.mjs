// Reads the text of XML parts of an office document: the elements `t` (and `text` of comments), a line for each paragraph.
import { SaxesParser } from 'saxes'

const texts = new Set(['t', 'text'])
const lineEnds = new Set(['p', 'br', 'si', 'comment'])

/** The text of each entry whose name matches, in the order of the numbers in their names; entries without text are left out. */
export async function readXmlTexts(zip, pattern) {
  const names = Object.keys(zip.files).filter((name) => pattern.test(name))
  names.sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
  const found = []
  for (const name of names) {
    const text = readXmlText(await zip.file(name).async('string')).trim()
    if (text !== '') found.push({ name, text })
  }
  return found
}

function readXmlText(xml) {
  const parser = new SaxesParser()
  const open = []
  let text = ''
  parser.on('error', (error) => {
    throw new Error(`its XML is not valid: ${error.message}`)
  })
  parser.on('opentag', ({ name }) => {
    const local = localName(name)
    open.push(local)
    if (local === 'tab') text += '\t'
  })
  const take = (part) => {
    if (texts.has(open.at(-1))) text += part
  }
  parser.on('text', take)
  parser.on('cdata', take)
  parser.on('closetag', ({ name }) => {
    open.pop()
    if (lineEnds.has(localName(name))) text += '\n'
  })
  parser.write(xml).close()
  return text
}

function localName(name) {
  return name.slice(name.indexOf(':') + 1)
}
