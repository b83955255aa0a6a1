/** The commands as the help shows them, and how messages name them and the docs where Whetstone is installed: pages that the package leaves out become addresses, commands get npx. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { packageRoot, readOwnPackage, typedCommand } from '../../base/package_root.ts'

/** [arguments, summary] by command. */
export const commandGroups: Readonly<Record<string, Readonly<Record<string, readonly [string, string]>>>> = {
  Start: {
    init: ['<skill>', 'Draft evals/evals.json from SKILL.md'],
    demo: ['', 'Run a whole benchmark offline, without a key'],
    doctor: ['', 'Check that this machine can run a benchmark'],
    check: ['[skill..]', 'Find problems in skills and suites, no model'],
  },
  Measure: {
    bench: ['<skill..>', 'Run with and without the skill: does it help?'],
    eval: ['[path] [case..]', 'Run a suite with one configuration: does it pass?'],
    triggers: ['[skill]', 'Measure for which queries an agent uses the skill'],
    compare: ['<benchmark> [other]', 'Judge two configurations blind, in both orders'],
  },
  Read: {
    view: ['[folder]', 'Open the report page'],
    explain: ['[benchmark]', 'Show why cases failed, with the evidence'],
    diff: ['<benchmarks..>', 'Compare two benchmarks, or show all over time'],
    audit: ['<workspace>', "Review the judge's decisions"],
  },
  Improve: {
    improve: ['<skill>', 'Find a better version, tested on held-out cases'],
  },
  Operate: {
    grade: ['<benchmark>', 'Grade finished runs again'],
    aggregate: ['<folder..>', 'Write benchmark.json and the reports again'],
    clean: ['[workspaces..]', 'Show what is kept, remove what you choose'],
  },
  Advanced: {
    test: ['<package>', 'Run the deterministic tests of a package'],
    rank: ['<contenders..>', 'Rank several skills or engines on one suite'],
    watch: ['<skill>', 'Alarm when the level of a skill falls'],
    costs: ['<agents..>', 'Show what Atomic Agents cost by month'],
    prune: ['<skill>', 'Find what each part is worth; drop the rest'],
    queue: ['<action>', 'Run or manage remote workers'],
    mcp: ['', 'Serve the tools to an agent (MCP)'],
    'record-mcp': ['<skill>', "Record the answers of a suite's MCP server"],
    github: ['<step>', 'Run the steps of the GitHub Action'],
    practice: ['--scenario FILE', 'Serve the practice model'],
    convert: ['<path>', 'Write a suite as evals.json or as Harbor tasks'],
  },
}

/** Named in the help only by `help advanced`. */
export const advancedGroup = 'Advanced'

export const commandNames: readonly string[] = Object.values(commandGroups).flatMap((group) => Object.keys(group))

const page = /(?<![\w/.])docs\/(?:reference|how-to|explanation|tutorial)\/[\w/-]+\.md/g

/** A command in a text; not a path, a package, or what follows npx already. */
const named = new RegExp(
  String.raw`(?<![\w@/.:-]|npx (?:-y )?|-- )whetstone(?= (?:(?:${commandNames.join('|')})\b|<command>|--help))`,
  'g',
)

/** The web page of the documentation of this version. */
export function docsAddress(): string {
  const { homepage, version } = readOwnPackage()
  return `${homepage.replace(/#.*$/, '')}/blob/v${version}`
}

/** "see docs/reference/checks.md, or run whetstone check" as the user can open and type it. */
export function adaptText(text: string): string {
  const adapted = nameCommands(text)
  if (existsSync(path.join(packageRoot(), 'docs'))) return adapted
  return adapted.replaceAll(page, (file) => `${docsAddress()}/${file}`)
}

/** The text with each `whetstone bench …` as the user can type it. */
export function nameCommands(text: string, program?: string): string {
  const typed = typedCommand(program)
  return typed === 'whetstone' ? text : text.replaceAll(named, typed)
}
