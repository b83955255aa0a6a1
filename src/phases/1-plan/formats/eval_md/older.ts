/** The two earlier forms of EVAL.md, which today's grammar would read as a file without cases: told apart, with the mend. */
import { isObject, textIn } from '../evals_json/fields.ts'
import type { Front } from '../markdown/front.ts'

export interface OlderForm {
  /** What it is. */
  message: string
  fix: string
  line: number
}

/** null: the file is of today's form. `caseCount`: how many ## headings it has that are no section. */
export function olderForm({ fields, at }: Front, caseCount: number): OlderForm | null {
  if (caseCount > 0) return null
  const name = textIn(fields.name)
  if (isObject(fields.expect) || (textIn(fields.prompt) !== null && name !== null)) {
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
