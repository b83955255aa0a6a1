/** The templates of reports: read beside the code, filled in strict mode (a missing name throws). */
import { readFileSync } from 'node:fs'
import handlebars from 'handlebars'

/** The text of a file beside this one. */
export function asset(name: string): string {
  return readFileSync(new URL(`./${name}`, import.meta.url), 'utf8')
}

/** `format` html: every value is escaped by the template. text: the view has escaped its values itself. */
export function template<View>(name: string, format: 'html' | 'text'): (view: View) => string {
  const filled = handlebars.compile<View>(asset(name), { strict: true, noEscape: format === 'text' })
  return (view) => filled(view)
}
