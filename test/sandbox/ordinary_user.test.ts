/** The sandbox holds for an ordinary user as it does for root: by user namespaces, and the user's own limit of processes. */
import { execFile } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { probeSandbox } from '../../src/base/sandbox/choose.ts'
import { whereIs } from '../../src/base/sandbox/programs.ts'
import { fresh } from '../e2e/program.ts'
import { needs } from '../require.ts'

const driver = path.join(import.meta.dirname, '../fixtures/programs/ordinary.mjs')
const isRoot = process.getuid?.() === 0
const works = (await probeSandbox(process.env.PATH ?? '')).ok
const present = works && (!isRoot || (await whereIs('setpriv', process.env.PATH ?? '')) !== null)

/** As nobody where we are root. */
async function asOrdinary(script: string, folder: string): Promise<{ code: number; said: string }> {
  const user = isRoot ? ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups'] : []
  const [first = '', ...rest] = [...user, process.execPath, driver, folder, script]
  const { stdout } = await promisify(execFile)(first, rest, {
    cwd: folder,
    env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
  })
  return JSON.parse(stdout)
}

function open(): string {
  const top = fresh()
  const folder = path.join(top, 'work')
  mkdirSync(folder)
  for (const one of [top, folder]) chmodSync(one, 0o777)
  return folder
}

needs(
  'bubblewrap that works, and setpriv',
  present,
  'apt-get install bubblewrap util-linux',
)('an ordinary user', () => {
  test('writes in the room and the scratch folders, and nowhere else', async () => {
    const folder = open()
    const elsewhere = path.join(path.dirname(folder), 'elsewhere')
    const script = `echo a > mine; echo b > /var/cache/tool/b && cat mine /var/cache/tool/b; echo c > ${elsewhere}; echo d > /usr/d`
    const { said } = await asOrdinary(script, folder)
    expect(said).toMatch(/^a\nb\n/)
    expect(existsSync(elsewhere)).toBe(false)
    expect(existsSync(path.join(folder, 'mine'))).toBe(true)
    expect(existsSync('/var/cache/tool/b')).toBe(false)
  })

  test('sees no other process, and reaches no network', async () => {
    const { said } = await asOrdinary(
      'ls -d /proc/[0-9]* | wc -l; ls /sys/class/net 2>/dev/null; cat /proc/net/route',
      open(),
    )
    expect(Number(said.split('\n')[0])).toBeLessThan(10)
    expect(said).not.toMatch(/eth|ens|wlan/)
  })

  test('starts 100 processes at most; a few are no matter', async () => {
    const sleeps = (count: number) => `for i in $(seq ${count}); do sleep 1 & done; echo all started`
    expect((await asOrdinary(sleeps(150), open())).said).toMatch(/fork/i)
    expect((await asOrdinary(sleeps(50), open())).said).toContain('all started')
  })
})
