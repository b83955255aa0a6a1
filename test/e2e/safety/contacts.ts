/** Which addresses a program and all that it starts contact, as the kernel sees it: every connect, and every name asked of a resolver. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { contenders } from '../../engines/contenders.ts'
import { practice } from '../../engines/stage.ts'
import { cliFolder } from '../../require.ts'
import { fresh, makeSkill, type ProgramEnd, type ProgramOptions, whetstone } from '../program.ts'

export interface Watched extends ProgramEnd {
  /** `address:port` of each internet socket that something was sent to, sorted, each once; never a Unix socket. */
  contacts: string[]
  /** Names in questions to a resolver, sorted, each once. */
  names: string[]
}

/** Whether a contact is with another machine. */
export function isElsewhere(contact: string): boolean {
  return !/^(127\.|\[::1\]|\[::ffff:127\.)/.test(contact)
}

/** bench of one case on an engine, both configurations, with nothing that confines it; the practice server is its provider. */
export async function watchEngine(name: string, ownCommand?: string): Promise<Watched> {
  await using server = await practice('schema_version: 1\nrules:\n  - { name: all, text: done }\n')
  const { model, command = null, credentials } = contenders[name]?.needs(server) ?? {}
  const line = ownCommand ?? command
  const skill = makeSkill([{ id: 1, prompt: 'task', checks: [{ type: 'contains', value: 'done' }] }])
  const engine = line === null ? name : `${name.split(':')[0]}:${line}`
  const args = ['bench', skill, '--engine', engine, '--runs', '1', '--retries', '0']
  const more = ['--sandbox=off', '--trust-suite', '--workspace', path.join(fresh(), 'ws')]
  return await watch([...args, ...(model ? ['--model', model] : []), ...more], {
    env: { ...credentials, PATH: `${process.env.PATH}:${cliFolder}` },
  })
}

/** The program under strace. */
export async function watch(args: readonly string[], options: ProgramOptions = {}): Promise<Watched> {
  const log = path.join(fresh(), 'calls')
  const calls = 'trace=connect,sendto,sendmsg,sendmmsg'
  const shell = `exec strace -f --seccomp-bpf -qq -s 600 -e signal=none -e ${calls} -o ${log} "$0" "$@"`
  const end = await whetstone(args, { ...options, shell })
  return { ...end, ...readContacts(readFileSync(log, 'latin1')) }
}

function readContacts(log: string): Pick<Watched, 'contacts' | 'names'> {
  const contacts = new Set<string>()
  for (const line of log.split('\n')) {
    const [, port, v4, v6] =
      /sin6?_port=htons\((\d+)\).*?(?:inet_addr\("([^"]+)"|inet_pton\(AF_INET6, "([^"]+)")/.exec(line) ?? []
    if (port === undefined || port === '0') continue // port 0: a datagram socket asks for its own address, nothing is sent
    contacts.add(v4 === undefined ? `[${v6}]:${port}` : `${v4}:${port}`)
  }
  // a question: labels with their length before them, then 0, the type and the class
  const questions = log.matchAll(/"((?:[^"\\]|\\.)*)"/g)
  const names = [...questions].flatMap(([, text = '']) => readQuestion(unescapeBytes(text)) ?? [])
  return { contacts: [...contacts].sort(), names: [...new Set(names)].sort() }
}

/** The name of a DNS question; null: it is none. */
function readQuestion(bytes: Buffer): string | null {
  const labels: string[] = []
  let at = 12
  if (bytes.length < 17 || bytes.readUInt16BE(4) !== 1) return null
  for (let size = bytes[at] ?? 0; size > 0; size = bytes[at] ?? 0) {
    const label = bytes.toString('latin1', at + 1, at + 1 + size)
    if (size > 63 || !/^[\w-]+$/.test(label)) return null
    labels.push(label)
    at += 1 + size
  }
  return labels.length > 0 && bytes.length >= at + 5 ? labels.join('.') : null
}

const escapes: Readonly<Record<string, number>> = { n: 10, t: 9, r: 13, v: 11, f: 12, '"': 34, '\\': 92 }

/** As strace writes them: octal or one letter. */
function unescapeBytes(text: string): Buffer {
  const bytes: number[] = []
  for (const [all, octal, letter] of text.matchAll(/\\([0-7]{1,3})|\\(.)|[^\\]/gs)) {
    bytes.push(
      octal !== undefined
        ? Number.parseInt(octal, 8)
        : letter !== undefined
          ? (escapes[letter] ?? 0)
          : all.charCodeAt(0),
    )
  }
  return Buffer.from(bytes)
}
