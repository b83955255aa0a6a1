/** The help of the program without a command: the commands in groups, each with its arguments and a summary. */

import { findNearest } from '../../base/text/did_you_mean.ts'
import { exitHelp } from '../exit_codes.ts'
import { alignColumns } from '../terminal/style.ts'
import { docsAddress } from './docs_links.ts'

/** [arguments, summary] by command. */
const groups: Readonly<Record<string, Readonly<Record<string, readonly [string, string]>>>> = {
  Start: {
    init: ['<skill>', 'Draft evals/evals.json from SKILL.md'],
    demo: ['', 'Run a whole benchmark offline, without a key'],
    doctor: ['', 'Check that this machine has what a benchmark needs'],
    check: ['[skill..]', 'Find problems in skills and suites, without a model'],
  },
  Measure: {
    bench: ['<skill..>', 'Run cases with and without the skill: does it help?'],
    eval: ['<path> [case..]', 'Run a suite with one configuration: does it pass?'],
    test: ['<package>', 'Run the deterministic tests of a package'],
    triggers: ['<skill>', 'Measure for which queries an agent uses the skill'],
    compare: ['<benchmark> [other]', 'Judge two configurations blind, in both orders'],
  },
  Read: {
    view: ['[folder]', 'Open the report page'],
    explain: ['[benchmark]', 'Show why cases failed, with the evidence'],
    diff: ['<benchmarks..>', 'Compare two benchmarks, or show all over time'],
    audit: ['<workspace>', "Review the judge's decisions"],
    analyze: ['<benchmark>', 'Explain why the winners of a comparison won'],
  },
  Improve: {
    improve: ['<skill>', 'Find a better version, tested on held-out cases'],
  },
  Operate: {
    grade: ['<benchmark>', 'Grade finished runs again'],
    aggregate: ['<folder..>', 'Write benchmark.json and the reports again'],
    clean: ['[workspaces..]', 'Show what is kept, remove what you choose'],
    cache: ['<action>', 'Show or clear cached runs'],
    queue: ['<action>', 'Run or manage remote workers'],
    mcp: ['', 'Serve the tools to an agent (MCP)'],
  },
  Advanced: {
    github: ['<step>', 'Run the steps of the GitHub Action'],
    practice: ['--scenario FILE', 'Serve the practice model'],
    convert: ['<path>', 'Write a suite as evals.json or as Harbor tasks'],
  },
}

export const commandNames: readonly string[] = Object.values(groups).flatMap((group) => Object.keys(group))

export function rootHelp(): string {
  const all = Object.values(groups).flatMap((group) =>
    Object.entries(group).map(([name, [args, summary]]) => [`  ${name} ${args}`.trimEnd(), summary]),
  )
  const lines = alignColumns(all)
  const sections = Object.entries(groups).map(([title, group]) =>
    [`${title}:`, ...lines.splice(0, Object.keys(group).length)].join('\n'),
  )
  return [
    'Benchmark agent skills: does a skill help, how to improve it, can you trust the answer?',
    'whetstone <command> [options]',
    ...sections,
    'Options:\n  -h, --help      Show help; whetstone <command> --help shows that of a command\n      --help-all  With a command: show all of its options\n      --version   Show the version',
    exitHelp,
    `Documentation: ${docsAddress()}/docs/README.md`,
    'New here? `whetstone demo` runs a whole benchmark on the embedded practice model, no key needed.',
  ].join('\n\n')
}

/** The command that a mistyped word may be; null: none is near. */
export function findNearCommand(word: string): string | null {
  return findNearest(word, commandNames, 1)[0] ?? null
}
