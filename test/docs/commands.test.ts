/** Every `whetstone` command that a page shows is one, and has the flags that it is shown with. */
import { describe, expect, test } from 'vitest'
import { pages, readPage } from './pages.ts'

const sections = new Map(
  readPage('docs/reference/cli.md')
    .split(/^## whetstone ?/m)
    .slice(1)
    .map((section) => [section.slice(0, section.indexOf('\n')), section] as const),
)

/** What is wrong with the commands in the code of a text. */
function wrongCommands(text: string): string[] {
  const code = [...text.matchAll(/^```\w*\n(.*?)^```/gms), ...text.matchAll(/`(whetstone [^`]+)`/g)]
  const lines = code.flatMap(([, block = '']) => block.replaceAll('\\\n', ' ').split('\n'))
  return lines.flatMap((line) => {
    const [, command = '', rest = ''] =
      /^ *(?:\$ |- run: |\w+=\S+ )*(?:npx )?whetstone ([a-z]+(?:-[a-z]+)*)\b([^#|]*)/.exec(line) ?? []
    if (command === '' || sections.has(`${command}${rest}`.trim())) return [] // help settings
    const help = sections.get(command)
    if (help === undefined) return [`unknown command: ${line.trim()}`]
    const flags = rest.replaceAll(/"[^"]*"/g, '""').match(/(?<= )--[a-z][a-z-]*/g) ?? []
    return flags.filter((flag) => !isFlag(flag, help)).map((flag) => `${command} has no ${flag}: ${line.trim()}`)
  })
}

const isFlag = (flag: string, help: string) =>
  ['--help', '--help-all', '--version'].includes(flag) ||
  new RegExp(`(^|\\s)--?${flag.replace(/^--(no-)?/, '')}\\b(?!-)`).test(help)

describe('the commands of a page', () => {
  test.each(pages.filter((page) => page !== 'docs/reference/cli.md'))('%s', (page) => {
    expect(wrongCommands(readPage(page))).toEqual([])
  })
  test('control: a flag, and a command, that do not exist', () => {
    const text = '`whetstone bench a --runz 3 --no-cache` and\n```sh\nwhetstone bensh a # --x\nwhetstone view\n```\n'
    expect(wrongCommands(text)).toEqual([
      'unknown command: whetstone bensh a # --x',
      'bench has no --runz: whetstone bench a --runz 3 --no-cache',
    ])
  })
})
