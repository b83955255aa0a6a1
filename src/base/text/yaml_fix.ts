/** Suggests how to fix invalid YAML, from the parser's message. */

/** The first entry that matches the message applies. */
const yamlFixes: readonly { form: RegExp; fix: string }[] = [
  { form: /^Map keys must be unique/, fix: 'remove one of the lines with this key' },
  { form: /\btabs?\b/i, fix: 'indent with spaces' },
  { form: /another document$/, fix: 'remove the line, or quote the value that it is a part of' },
  { form: /^Missing closing/, fix: 'close the quote' },
  {
    form: /^Nested mappings|implicit (?:map )?key/i,
    fix: 'quote values that contain ": ", and write each key: value on its own line',
  },
  { form: /alias|anchor/i, fix: 'quote values that begin with * or &' },
  { form: /^Plain value cannot start/, fix: 'quote the value' },
  { form: /sufficiently indented and end with/, fix: 'close the bracket, or quote the value' },
  {
    form: /must start at the same column/,
    fix: 'give keys of one level the same indent, or quote values that contain ": "',
  },
]

export function yamlFix(message: string): string {
  return yamlFixes.find(({ form }) => form.test(message))?.fix ?? 'fix the syntax there, or quote the value'
}
