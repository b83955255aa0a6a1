/** Shows the options of the large commands in sections, common ones first; the others only with --help-all. */
import type { Argv } from 'yargs'
import { type Flags, rareSections, sections } from '../commands/options/flag.ts'
import { listRemoteFlags } from '../commands/options/remote_flags.ts'

interface OptionNames {
  getOptions(): { key: Readonly<Record<string, unknown>> }
  getGroups(): Readonly<Record<string, readonly string[]>>
}

/** `argv`: the command line; with --help-all every option is shown. */
export function groupOptions<T>(args: Argv<T>, own: Flags, argv: readonly string[]): Argv<T> {
  const isAll = argv.includes('--help-all')
  const names = args as Argv<T> & OptionNames
  const options = Object.keys(names.getOptions().key)
  const flags: Flags = { ...listRemoteFlags(), ...own }
  const grouped = new Set(Object.values(names.getGroups()).flat()) // the positionals
  for (const section of isAll ? [...sections, ...rareSections] : sections) {
    const known = options.filter((name) => flags[name]?.section === section && !grouped.has(name))
    if (section === 'Output and CI') known.push('json')
    for (const name of known) grouped.add(name)
    if (known.length > 0) args.group(known, `${section}:`)
  }
  const rest = options.filter((name) => name.length > 1 && !grouped.has(name))
  if (isAll) args.group(rest, 'More:')
  else for (const name of rest) args.hide(name)
  return isAll ? args : args.epilogue('More options: --help-all')
}
