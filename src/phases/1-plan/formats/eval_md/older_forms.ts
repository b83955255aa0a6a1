/** Recognises the two earlier forms of EVAL.md, which the current grammar reads as a file without cases, and suggests a fix. */
import { isJsonObject, readNonEmptyText } from '../evals_json/fields.ts'
import type { MarkdownFront } from '../markdown/front_matter.ts'

export interface OlderForm {
  /** Names the form. */
  message: string
  fix: string
  line: number
}

/** null: the file has the current form. `caseCount`: number of ## headings that are not sections. */
export function olderForm({ fields, at }: MarkdownFront, caseCount: number): OlderForm | null {
  if (caseCount > 0) return null
  const name = readNonEmptyText(fields.name)
  if (isJsonObject(fields.expect) || (readNonEmptyText(fields.prompt) !== null && name !== null)) {
    return {
      message: 'this is the first form of EVAL.md (prompt and expect in the frontmatter), which is not read any more',
      fix: `write ## ${name ?? 'a name'}, under it ### Prompt with the frontmatter's prompt, and ### Expect with the body and what expect lists`,
      line: at(['expect']).line,
    }
  }
  if (name === null) return null
  return {
    message: 'this is the second form of EVAL.md (one case, its name in the frontmatter), which is not read any more',
    fix: `delete name from the frontmatter, and write the line ## ${name} above Prompt`,
    line: at(['name']).line,
  }
}
