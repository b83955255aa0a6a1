/** Shows the options of the large commands in sections, common ones first; others only with --help-all, and settings in help of their own. */
import type { Argv } from 'yargs'
import { type Flags, isSetting, rareSections, sections } from '../commands/options/flag.ts'
import { listRemoteFlags } from '../commands/options/remote_flags.ts'
import { configurableSettings, configuredCommands } from '../config/config_keys.ts'

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
  const settings = rest.filter((name) => isSetting(flags[name] ?? {}))
  for (const name of isAll ? settings : rest) args.hide(name)
  if (!isAll) return args.epilogue('More options: --help-all')
  const listed = settings.map((name) => `--${name}`).join(', ')
  return args
    .group(
      rest.filter((name) => !settings.includes(name)),
      'More:',
    )
    .epilogue(`Settings, also for whetstone.config.yaml (whetstone help settings):\n${listed}`)
}

/** What `help settings` prints: each once, with the commands that have it. */
export function settingsHelp(): string {
  const found = new Map<string, { describe: string; commands: string[] }>()
  for (const command of configuredCommands)
    for (const [name, flag] of Object.entries(configurableSettings(command)).filter(([, one]) => isSetting(one))) {
      const choices = flag.choices ? `: ${flag.choices.join(', ')}` : ''
      const known = found.get(name) ?? { describe: `${flag.describe ?? ''}${choices}`, commands: [] }
      found.set(name, { ...known, commands: [...known.commands, command] })
    }
  const sorted = [...found].sort(([one], [other]) => (one < other ? -1 : 1))
  const lines = sorted.map(
    ([name, { describe, commands }]) => `  --${name}\n      ${describe}\n      (${commands.join(', ')})`,
  )
  return ['Settings: keys of whetstone.config.yaml, which are also flags of the commands in brackets.', ...lines].join(
    '\n',
  )
}
