/** What the schema that CI systems read JUnit by says of a report. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { validateXML } from 'xmllint-wasm'

const schema = readFileSync(path.join(import.meta.dirname, 'fixtures/junit.xsd'), 'utf8')

/** Empty: it is valid. */
export async function mistakes(xml: string): Promise<string[]> {
  const { errors } = await validateXML({ xml: [{ fileName: 'report.xml', contents: xml }], schema: [schema] })
  return errors.map(({ message }) => message)
}
