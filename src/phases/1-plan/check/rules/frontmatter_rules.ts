/** Rules of the Agent Skills specification for the frontmatter and the body of a SKILL.md. */
import { agentKeys, specKeys } from '../../../../../schemas/skill_frontmatter.ts'
import { yamlFix } from '../../../../base/text/yaml.ts'
import { nameEngines } from '../../../../engines/table.ts'
import { isLinkText, linkTextFix } from '../../skill/frontmatter.ts'
import { findMisspeltKey } from '../../skill/frontmatter_mistakes.ts'
import type { FrontmatterEntry, SkillText } from '../text/skill_text.ts'
import type { LintFinding, LintRule, RuleFacts } from './rule.ts'

const bodyLimit = 500

export const frontmatterRules: readonly LintRule<SkillText>[] = [
  {
    id: 'frontmatter-missing',
    severity: 'error',
    about: 'SKILL.md does not begin with frontmatter between two lines `---`.',
    find: ({ hasFrontmatter, isUnclosed, body }) => {
      if (hasFrontmatter) return []
      const words = isUnclosed
        ? { message: 'no second line --- ends the frontmatter', fix: 'add a line --- after its last key' }
        : {
            message: 'no frontmatter',
            fix: isLinkText(body.join('\n')) ? linkTextFix : 'begin it with ---, name: …, description: …, ---',
          }
      return [{ ...words, line: 1 }]
    },
  },
  {
    id: 'frontmatter-yaml',
    severity: 'error',
    stops_bench: true,
    about: 'The frontmatter is not valid YAML, or not a mapping of keys to values.',
    find: ({ mistakes, otherThanMap }) => [
      ...mistakes.map(({ message, line, isIndent }) => ({
        message,
        line,
        fix: isIndent && !message.startsWith('Flow') ? indentFix : yamlFix(message),
      })),
      ...(otherThanMap === null
        ? []
        : [
            {
              message: `the frontmatter is ${otherThanMap}, expected a mapping of keys to values`,
              fix: 'write name: … and description: … on lines of their own',
              line: 2,
            },
          ]),
    ],
  },
  {
    id: 'name-missing',
    severity: 'error',
    about: 'The frontmatter has no `name`, or one that is empty or not text.',
    find: (text) => missing(text, 'name'),
  },
  {
    id: 'name-form',
    severity: 'error',
    about: '`name` is not 1 to 64 of a-z, 0-9 and single hyphens between them.',
    find: (text) =>
      listTextEntries(text, 'name').flatMap(({ value, line }) => {
        const wrong = [
          ...(value.length > 64 ? [`has ${value.length} characters`] : []),
          ...(/[^a-z0-9-]/.test(value) ? ['has other characters than a-z, 0-9 and hyphens'] : []),
          ...(/^-|-$/.test(value) ? ['has a hyphen at an edge'] : []),
          ...(/--/.test(value) ? ['has two hyphens in a row'] : []),
        ]
        const fix = 'use 1 to 64 of a-z, 0-9 and single hyphens between them'
        return wrong.length === 0 ? [] : [{ message: `name ${JSON.stringify(value)} ${wrong.join(', ')}`, fix, line }]
      }),
  },
  {
    id: 'name-folder',
    severity: 'warning',
    about: "`name` differs from the folder's name.",
    find: (text) =>
      listTextEntries(text, 'name').flatMap(({ value, line }) =>
        value === text.folder
          ? []
          : [{ message: `name is ${value}, its folder is ${text.folder}`, fix: 'rename one of them', line }],
      ),
  },
  {
    id: 'description-missing',
    severity: 'error',
    about: 'The frontmatter has no `description`, or one that is empty or not text.',
    find: (text) => missing(text, 'description'),
  },
  {
    id: 'description-length',
    severity: 'error',
    about: '`description` has more than 1,024 characters.',
    find: (text) => tooLong(text, 'description', 1024),
  },
  {
    id: 'compatibility-form',
    severity: 'error',
    about: '`compatibility` is not text, or has more than 500 characters.',
    find: (text) => [
      ...wrongValues(text, 'compatibility', isText).map(({ line }) => ({ ...textWords('compatibility'), line })),
      ...tooLong(text, 'compatibility', 500),
    ],
  },
  buildValueRule({
    id: 'license-form',
    severity: 'warning',
    about: '`license` is not text.',
    key: 'license',
    fits: isText,
    ...textWords('license'),
  }),
  buildValueRule({
    id: 'metadata-form',
    severity: 'warning',
    about: '`metadata` is not a map of text to text.',
    key: 'metadata',
    fits: isTextMap,
    message: 'metadata is not a map of text to text',
    fix: 'quote its values',
  }),
  {
    id: 'user-only',
    severity: 'info',
    about: '`disable-model-invocation: true`: the agents of some engines never start the skill by themselves.',
    find: (text) =>
      wrongValues(text, 'disable-model-invocation', (value) => value !== true).map(({ line }) => ({
        message: `disable-model-invocation: the agents of ${nameEngines('and', (one) => one.userOnlySkills !== undefined)} never start the skill by themselves, so its queries cannot trigger it there`,
        fix: 'bench it with --activation instructed, or remove the line; measure queries on another engine',
        line,
      })),
  },
  buildValueRule({
    id: 'allowed-tools-form',
    severity: 'warning',
    about: '`allowed-tools` is neither text nor a list of texts.',
    key: 'allowed-tools',
    fits: isTools,
    message: 'allowed-tools is neither text nor a list of texts',
    fix: 'write Bash(git:*) Read',
  }),
  {
    id: 'unknown-key',
    severity: 'warning',
    about: 'A key of the frontmatter that no agent is known to read.',
    find: (text) =>
      others(text)
        .filter(([key]) => !agentKeys.includes(key) && !isMissingField(text, key))
        .map(([key, { line }]) => ({
          message: `unknown key ${key}`,
          fix: 'fix its spelling, or move it below metadata',
          line,
        })),
  },
  {
    id: 'agent-key',
    severity: 'info',
    about: 'A key of the frontmatter that some agents read, but that is not in the specification.',
    find: (text) =>
      others(text)
        .filter(([key]) => agentKeys.includes(key))
        .map(([key, { line }]) => ({
          message: `${key} is not in the specification`,
          fix: 'other agents may refuse or ignore it',
          line,
        })),
  },
  {
    id: 'body-long',
    severity: 'info',
    about: `The body has more than ${bodyLimit} lines, and all of them enter the context.`,
    find: ({ body, bodyLine }) =>
      body.length > bodyLimit
        ? [
            {
              message: `${body.length} lines`,
              fix: `move detail to files that it names (at most ${bodyLimit} lines)`,
              line: bodyLine,
            },
          ]
        : [],
  },
]

const indentFix = 'give keys of one level the same indent, or quote the value if it contains ": "'

function entry({ entries }: SkillText, key: string): FrontmatterEntry[] {
  const found = entries.get(key)
  return found === undefined || found.value === null || found.value === undefined ? [] : [found]
}

function listTextEntries(text: SkillText, key: string): { value: string; line: number }[] {
  return entry(text, key).flatMap(({ value, line }) =>
    typeof value === 'string' && value.trim() !== '' ? [{ value: value.trim(), line }] : [],
  )
}

function missing(text: SkillText, key: string): LintFinding[] {
  if (!text.hasFrontmatter || text.otherThanMap !== null || listTextEntries(text, key).length > 0) return []
  const found = text.entries.get(key)
  if (found === undefined) {
    const [misspelt, at] = misspeltEntry(text, key) ?? []
    return misspelt === undefined
      ? [{ message: `no ${key}`, fix: `add the line ${key}: …`, line: 1 }]
      : [{ message: `unknown key "${misspelt}"`, fix: `did you mean "${key}"?`, line: at?.line ?? 1 }]
  }
  const { value, line, isUnknown } = found
  if (isUnknown) return []
  const isEmpty = value === undefined || value === null || (typeof value === 'string' && value.trim() === '')
  return [
    isEmpty
      ? { message: `${key} is empty`, fix: `write it: ${key}: …`, line }
      : { message: `${key} is not text: ${formatEntryValue(value)}`, fix: `quote it: ${key}: "…"`, line },
  ]
}

/** The entry that was meant as a missing one; null: none. */
function misspeltEntry({ entries }: SkillText, key: string): [string, FrontmatterEntry] | null {
  if (entries.has(key)) return null
  const name = findMisspeltKey([...entries.keys()], key)
  const found = name === null ? undefined : entries.get(name)
  return name === null || found === undefined ? null : [name, found]
}

/** Whether the key was meant as a missing field: the rule of that field names it. */
function isMissingField(text: SkillText, key: string): boolean {
  return ['name', 'description'].some((field) => misspeltEntry(text, field)?.[0] === key)
}

/** Lists and maps are not printed, because an anchor can make them contain themselves. */
function formatEntryValue(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'a map' : JSON.stringify(value)
}

function tooLong(text: SkillText, key: string, limit: number): LintFinding[] {
  return listTextEntries(text, key).flatMap(({ value, line }) =>
    [...value].length > limit
      ? [{ message: `${key} has ${[...value].length} characters`, fix: `at most ${limit} are allowed`, line }]
      : [],
  )
}

interface ValueRule extends RuleFacts {
  key: string
  fits: (value: unknown) => boolean
  message: string
  fix: string
}

/** A rule about the value of one key, which may be absent. */
function buildValueRule({ key, fits, message, fix, ...facts }: ValueRule): LintRule<SkillText> {
  return { ...facts, find: (text) => wrongValues(text, key, fits).map(({ line }) => ({ message, fix, line })) }
}

function wrongValues(text: SkillText, key: string, fits: (value: unknown) => boolean): FrontmatterEntry[] {
  return entry(text, key).filter(({ value }) => !fits(value))
}

function textWords(key: string): { message: string; fix: string } {
  return { message: `${key} is not text`, fix: `quote it: ${key}: "…"` }
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function others({ entries }: SkillText): [string, FrontmatterEntry][] {
  return [...entries].filter(([key]) => !specKeys.includes(key))
}

function isTextMap(value: unknown): boolean {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject && Object.values(value).every(isText)
}

function isTools(value: unknown): boolean {
  return isText(value) || (Array.isArray(value) && value.every(isText))
}
