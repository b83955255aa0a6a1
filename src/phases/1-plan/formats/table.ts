/** The table of suite formats, in the order in which they are tried. */
import type { SuiteFormat } from '../suite/inspected_suite.ts'
import { evalsJsonFormat } from './evals_json.ts'

export const suiteFormats: Record<string, SuiteFormat> = {
  'evals.json': evalsJsonFormat,
}

/** Adds those of features, to be tried after the others; again changes nothing. */
export function addSuiteFormats(more: Readonly<Record<string, SuiteFormat>>): void {
  Object.assign(suiteFormats, more)
}

type Search = 'findForPackage' | 'findForSkills' | 'findTasks' | 'findVisible'

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
