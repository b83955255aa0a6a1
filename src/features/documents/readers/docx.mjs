// Reads a Word document: its body with mammoth, then headers, footers, notes and comments.
import mammoth from 'mammoth'
import { readXmlTexts } from './xml_text.mjs'
import { openZip } from './zip.mjs'

const otherParts = /^word\/(?:header|footer|footnotes|endnotes|comments)\d*\.xml$/

export async function readDocument(bytes) {
  const zip = await openZip(bytes, 'word/document.xml')
  const { value } = await mammoth.extractRawText({ buffer: bytes })
  const others = await readXmlTexts(zip, otherParts)
  return { text: [value.trim(), ...others.map(({ name, text }) => `# ${name}\n${text}`)].join('\n\n') }
}
