/** What every format promises, of EVAL.md in files and in comments. */
import path from 'node:path'
import { skillText } from '../../phases/1-plan/folder.ts'
import { describeFormat, example, written } from '../../phases/1-plan/formats/format_contract.ts'
import { describeMutations } from '../../phases/1-plan/formats/format_mutations.ts'

describeFormat('eval.md', {
  tree: example('example-eval-md', { 'package.json': '{}' }),
  broken: { 'b/EVAL.md': '---\nskills: [\n---\n## a\n### Prompt\nx\n' },
  golden: path.join(import.meta.dirname, 'golden'),
})

describeFormat('eval-comment', {
  tree: written({
    'package.json': '{}',
    'add.ts': '/**\n * @eval\n * ## adds\n * ### Prompt\n * Add 1 and 1.\n * ### Expect\n * 2\n */\n',
  }),
  broken: { 'b/sub.ts': '/**\n * @eval\n * ## subtracts\n * ### Prompt\n * x\n */\n' },
  golden: path.join(import.meta.dirname, 'golden'),
})

describeMutations('eval.md', {
  files: {
    'SKILL.md': skillText,
    'EVAL.md':
      '---\nmodel: anthropic:claude-sonnet-4-6\nsystem: Be exact.\ntools:\n  - SkillKit.Tools.Shell\n---\n## adds\n### Prompt\nAdd up.\n### Expect\nIt adds.\n## adds more\n### Prompt\nAdd.\n### Expect\n2\n',
  },
  changed: /EVAL\.md$/,
  unit: /EVAL\.md$/,
  free: /^$/,
})
