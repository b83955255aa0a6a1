/** The table of suite formats, in the order in which they are tried. */
import type { SuiteFormat } from '../suite/inspected_suite.ts'
import { aamFormat } from './aam.ts'
import { evalsJsonFormat } from './evals_json.ts'

export const suiteFormats: Record<string, SuiteFormat> = {
  'evals.json': evalsJsonFormat,
  aam: aamFormat,
}

/** Adds those of features, to be tried before the row of this name, or after all; again changes nothing. */
export function addSuiteFormats(more: Readonly<Record<string, SuiteFormat>>, before?: string): void {
  const rows = Object.entries(suiteFormats)
  const at = rows.findIndex(([name]) => name === before)
  const later = at === -1 ? [] : rows.slice(at)
  for (const [name] of later) delete suiteFormats[name]
  Object.assign(suiteFormats, more, Object.fromEntries(later))
}

type Search = 'findForSkills' | 'findTasks' | 'findVisible'

/** What the first format finds that searches in this way; null: none does. */
export async function searchSuite(
  search: Search,
  folder: string,
): Promise<{ format: SuiteFormat; place: string } | null> {
  for (const format of Object.values(suiteFormats)) {
    const place = await format[search]?.(folder)
    if (place != null) return { format, place }
  }
  return null
}
