/** Runs the commands that a page shows, in its order, in one folder, against the practice model. */
import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fresh, plainEnvironment } from './program.ts'

const root = path.join(import.meta.dirname, '../..')

/** The lines of the shell blocks of a page, without comments. */
export function shownCommands(page: string): string[] {
  const text = readFileSync(path.join(root, page), 'utf8')
  const blocks = [...text.matchAll(/^```(?:sh|bash)\n(.*?)^```/gms)].map(([, block = '']) => block)
  return blocks.flatMap((block) => block.split('\n').map((line) => line.replace(/ +#.*$/, '').trim())).filter(Boolean)
}

export interface ShownCommand {
  command: string
  code: number | null
  output: string
}

/** A folder in which `whetstone` is a command and `npm root -g` holds the package, as after an installation. */
export function openShell(env: Record<string, string>) {
  const home = fresh()
  const prefix = path.join(home, 'prefix')
  mkdirSync(path.join(prefix, 'bin'), { recursive: true })
  mkdirSync(path.join(prefix, 'lib/node_modules'), { recursive: true })
  symlinkSync(root, path.join(prefix, 'lib/node_modules/whetstone'))
  const program = path.join(prefix, 'bin/whetstone')
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${path.join(root, 'dist/program/bin.js')}" "$@"\n`)
  chmodSync(program, 0o755)
  const cwd = path.join(home, 'work')
  mkdirSync(cwd)
  const plain = plainEnvironment()
  const all = {
    ...plain,
    HOME: home,
    XDG_STATE_HOME: path.join(home, 'state'),
    npm_config_prefix: prefix,
    PATH: `${path.join(prefix, 'bin')}${path.delimiter}${plain.PATH}`,
    ...env,
  }
  return {
    cwd,
    run: (command: string): Promise<ShownCommand> => {
      const child = spawn('bash', ['-c', command], { cwd, env: all, stdio: ['ignore', 'pipe', 'pipe'] })
      let output = ''
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8').on('data', (text: string) => {
          output += text
        })
      }
      return new Promise((resolve, reject) => {
        child.once('error', reject)
        child.once('close', (code) => resolve({ command, code, output }))
      })
    },
  }
}
