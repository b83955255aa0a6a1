/** The commands in groups, each with its arguments and a summary, as the help shows them. */

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
