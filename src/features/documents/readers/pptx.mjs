// Reads the text of a presentation: slides in the order of their numbers, then notes, comments, charts and diagrams.
import { readXmlTexts } from './xml_text.mjs'
import { openZip } from './zip.mjs'

const slides = /^ppt\/slides\/slide\d+\.xml$/
const otherParts = /^ppt\/(?:notesSlides\/notesSlide|comments\/|charts\/chart|diagrams\/data)[^/]*\.xml$/

export async function readDocument(bytes) {
  const zip = await openZip(bytes, 'ppt/presentation.xml')
  const found = [...(await readXmlTexts(zip, slides)), ...(await readXmlTexts(zip, otherParts))]
  return { text: found.map(({ name, text }) => `# ${name}\n${text}`).join('\n\n') }
}
