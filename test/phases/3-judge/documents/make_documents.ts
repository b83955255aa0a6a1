/** Makes small real documents for tests: a workbook, a Word document, a presentation, a PDF and a notebook. */
import ExcelJS from 'exceljs'
import JSZip from 'jszip'

/** Sheets with their rows; a cell is whatever exceljs takes as a value. */
export async function makeWorkbook(sheets: Readonly<Record<string, readonly (readonly ExcelJS.CellValue[])[]>>) {
  const book = new ExcelJS.Workbook()
  for (const [name, rows] of Object.entries(sheets)) {
    const sheet = book.addWorksheet(name)
    for (const row of rows) sheet.addRow([...row])
  }
  return Buffer.from(await book.xlsx.writeBuffer())
}

export async function makeZip(files: Readonly<Record<string, string | Buffer>>): Promise<Buffer> {
  const zip = new JSZip()
  for (const [name, content] of Object.entries(files)) zip.file(name, content)
  return zip.generateAsync({ type: 'nodebuffer', compression: 'DEFLATE' })
}

const types = (main: string, kind: string) =>
  `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/${main}" ContentType="application/vnd.openxmlformats-officedocument.${kind}.main+xml"/></Types>`

const relations = (main: string) =>
  `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="${main}"/></Relationships>`

/** A Word document with these paragraphs, and text in its header. */
export function makeWord(paragraphs: readonly string[], header = ''): Promise<Buffer> {
  const ns = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
  const write = (text: string) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`
  return makeZip({
    '[Content_Types].xml': types('word/document.xml', 'wordprocessingml.document'),
    '_rels/.rels': relations('word/document.xml'),
    'word/document.xml': `<?xml version="1.0"?><w:document ${ns}><w:body>${paragraphs.map(write).join('')}</w:body></w:document>`,
    ...(header !== '' && { 'word/header1.xml': `<?xml version="1.0"?><w:hdr ${ns}>${write(header)}</w:hdr>` }),
  })
}

/** A presentation with a slide for each text, and notes. */
export function makeSlides(slides: readonly string[], notes = ''): Promise<Buffer> {
  const ns =
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
  const shape = (text: string) =>
    `<p:cSld><p:spTree><p:sp><p:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:txBody></p:sp></p:spTree></p:cSld>`
  const parts = slides.map((text, index) => [
    `ppt/slides/slide${index + 1}.xml`,
    `<?xml version="1.0"?><p:sld ${ns}>${shape(text)}</p:sld>`,
  ])
  return makeZip({
    '[Content_Types].xml': types('ppt/presentation.xml', 'presentationml.presentation'),
    '_rels/.rels': relations('ppt/presentation.xml'),
    'ppt/presentation.xml': `<?xml version="1.0"?><p:presentation ${ns}/>`,
    ...Object.fromEntries(parts),
    ...(notes !== '' && {
      'ppt/notesSlides/notesSlide1.xml': `<?xml version="1.0"?><p:notes ${ns}>${shape(notes)}</p:notes>`,
    }),
  })
}

/** A PDF of one page with these lines; `encrypt`: it asks for a password. */
export function makePdf(lines: readonly string[], { encrypt = false } = {}): Buffer {
  const content = `BT /F1 12 Tf 50 700 Td 14 TL ${lines.map((line) => `(${line}) Tj T*`).join(' ')} ET`
  const secret = '0'.repeat(64)
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>',
    `<</Length ${content.length}>>stream\n${content}\nendstream`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
    `<</Filter/Standard/V 1/R 2/O<${secret}>/U<${secret}>/P -4>>`,
  ]
  let text = '%PDF-1.4\n'
  const places = objects.map((object, index) => {
    const at = text.length
    text += `${index + 1} 0 obj\n${object}\nendobj\n`
    return `${String(at).padStart(10, '0')} 00000 n \n`
  })
  const id = '<00112233445566778899aabbccddeeff>'
  const trailer = `<</Size 7/Root 1 0 R/ID[${id}${id}]${encrypt ? '/Encrypt 6 0 R' : ''}>>`
  return Buffer.from(
    `${text}xref\n0 7\n0000000000 65535 f \n${places.join('')}trailer\n${trailer}\nstartxref\n${text.length}\n%%EOF\n`,
    'latin1',
  )
}

/** A notebook with one code cell and what it printed. */
export function makeNotebook(source: string, printed: string): string {
  const cell = { cell_type: 'code', metadata: {}, execution_count: 1, source: [source] }
  const cells = [{ ...cell, outputs: [{ output_type: 'stream', name: 'stdout', text: [printed] }] }]
  return JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells })
}
