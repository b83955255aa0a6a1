/** Shows the options of the large commands in groups, common ones first; the others only with --help-all. */
import type { Argv } from 'yargs'

/** Titles and their options; a command has some of them. */
const common: Readonly<Record<string, readonly string[]>> = {
  'Sessions:': ['session', 'expect', 'files'],
  'Common:': [
    'engine',
    'model',
    'judge',
    'runs',
    'until',
    'baseline',
    'goal',
    'proposer',
    'certify-judge',
    'confirm-on',
    'apply',
    'branch',
    'protect',
    'margin',
    'set',
    'all',
    'among',
    'case',
    'anew',
    'again',
    'changed',
    'runs-per-night',
    'baseline-runs',
    'rebaseline',
    'dismiss',
    'status',
    'dry-run',
    'yes',
  ],
  'Limits:': [
    'budget',
    'total-runs',
    'screening-runs',
    'certify-runs',
    'deadline',
    'timeout',
    'max-turns',
    'concurrency',
  ],
  'Sandbox:': ['sandbox', 'network', 'allow-read', 'pass-env', 'trust-suite'],
  'Output and CI:': ['workspace', 'gate', 'fail-on', 'reporter', 'report', 'output', 'json'],
  'Cache and resume:': ['fresh', 'resume', 'cache', 'last-failed'],
}

const others: Readonly<Record<string, readonly string[]>> = {
  'Planning:': [
    'shard',
    'max-runs',
    'detect',
    'power',
    'explain',
    'matrix',
    'whole-plugin',
    'alone',
    'calibrate',
    'ask-above-cost',
    'ask-above-minutes',
  ],
  'Shared cache:': ['shared-cache', 'cache-key-file'],
  'Queue:': ['queue', 'shared', 'in-flight', 'tags', 'queue-ca', 'queue-password-file', 'queue-wait', 'key-file'],
}

interface OptionNames {
  getOptions(): { key: Readonly<Record<string, unknown>> }
  getGroups(): Readonly<Record<string, readonly string[]>>
}

/** `argv`: the command line; with --help-all every option is shown. `rare`: common options that this command shows only there. */
export function groupOptions<T>(args: Argv<T>, argv: readonly string[], rare: readonly string[] = []): Argv<T> {
  const isAll = argv.includes('--help-all')
  const names = args as Argv<T> & OptionNames
  const { key } = names.getOptions()
  const grouped = new Set(Object.values(names.getGroups()).flat()) // the positionals
  for (const [title, members] of Object.entries(isAll ? { ...common, ...others } : common)) {
    const known = members.filter((name) => Object.hasOwn(key, name) && (isAll || !rare.includes(name)))
    for (const name of known) grouped.add(name)
    if (known.length > 0) args.group(known, title)
  }
  const rest = Object.keys(key).filter((name) => name.length > 1 && !grouped.has(name))
  if (isAll) args.group(rest, 'More:')
  else for (const name of rest) args.hide(name)
  return isAll ? args : args.epilogue('More options: --help-all')
}
