/** Wherever a project lies, the mounts of its sandbox show none of its secrets. */
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isSubpath } from '../../src/base/fs/inside_folder.ts'
import { bubblewrapArguments } from '../../src/base/sandbox/bubblewrap.ts'
import { findMountAliases, type HiddenPlaces, type Place, planCovers } from '../../src/base/sandbox/hidden_places.ts'
import { findUserFolder } from '../../src/base/sandbox/system.ts'

const projects = [
  ...['/usr/src/app', '/usr/src/me/app', '/usr/local/src/app', '/usr/local/app', '/usr/app', '/usr/local/me/deep/app'],
  ...['/usr/share/app', '/usr/lib/node_modules/app', '/usr/local/lib/python3/site-packages/app'],
  ...['/nix/store/abc-app', '/gnu/store/abc-app/share/app', '/opt/app', '/opt/me/app', '/srv/app', '/home/u/app'],
  ...['/root/app', '/tmp/x/app', '/var/lib/x/app', '/app'],
]
const secrets = ['skills/pdf', 'skills/pdf/evals', 'workspaces/pdf', '.env', '.git']
/** Not hidden themselves: only a project in the system is hidden as a whole. */
const others = ['readme.txt', 'skills/other/evals']

/** A project at a place, a link to it, by which of the two it is named, and what is readable for a program's sake. */
const machines = fc.record({
  project: fc.constantFrom(...projects),
  link: fc.constantFrom('/link', '/usr/local/link', '/usr/share/me/link', '/home/u/link'),
  isNamedByLink: fc.boolean(),
  readable: fc.uniqueArray(
    fc.constantFrom('node_modules', 'bin', '.', '..', 'skills/pdf/node_modules', '/opt', '/usr/local', '/usr/bin/node'),
  ),
  isReadByLink: fc.boolean(),
})
type Machine = typeof machines extends fc.Arbitrary<infer M> ? M : never

/** The mounts in their order: from where, or null for an empty folder. */
interface Mount {
  from: string | null
  at: string
}

function describeMachine({ project, link, isNamedByLink, readable, isReadByLink }: Machine) {
  const resolve = (place: string) =>
    isSubpath(place, link) ? path.join(project, path.relative(link, place)) : path.normalize(place)
  const toPlace = (place: string): Place => ({ path: place, real: resolve(place), isFolder: !place.endsWith('.env') })
  const named = isNamedByLink ? link : project
  const readBy = isReadByLink ? link : project
  const folder = findUserFolder(project, (one) => one === project)
  return {
    resolve,
    system: ['/usr', '/nix/store', '/gnu/store'].map(toPlace),
    readable: readable.map((one) => toPlace(path.resolve(readBy, one))),
    hidden: secrets.map((one) => toPlace(path.join(named, one))),
    cleared: folder === null ? [] : [toPlace(folder)],
  }
}

function planMounts({ system, ...places }: HiddenPlaces & { system: Place[]; readable: Place[] }): Mount[] {
  const words = bubblewrapArguments({
    ...planCovers({ system, ...places }),
    system: system.map(({ path }) => ({ kind: 'folder', path })),
    policy: {
      ...{ writable: ['/run/work'], readOnly: [], scratch: [], network: 'none', tmp: null },
      limits: { tmpBytes: 1, fileBytes: 1, processes: 1 },
    },
    ...{ coveredProc: [], userNamespace: false, placed: [], cwd: '/run/work', command: ['true'] },
  })
  return words.flatMap((word, index): Mount[] => {
    const [first = '', second = ''] = words.slice(index + 1)
    if (word === '--ro-bind' || word === '--bind') return [{ from: first, at: second }]
    return word === '--tmpfs' ? [{ from: null, at: first }] : []
  })
}

/** The paths inside at which something of the machine is seen: of all mounts over a path the last counts. */
function findLeaks(mounts: readonly Mount[], real: string, resolve: (place: string) => string): string[] {
  const inside = mounts.flatMap(({ from, at }) =>
    from !== null && isSubpath(real, resolve(from)) ? [path.join(at, path.relative(resolve(from), real))] : [],
  )
  return [...new Set(inside)].filter((place) => {
    const last = mounts.findLast(({ at }) => isSubpath(place, at))
    if (last === undefined || last.from === null) return false
    return resolve(path.join(last.from, path.relative(last.at, place))) === real
  })
}

function leaksOf(machine: Machine, names: readonly string[], change: Partial<HiddenPlaces> = {}): string[] {
  const { resolve, ...places } = describeMachine(machine)
  const mounts = planMounts({ ...places, ...change })
  return names.flatMap((name) => findLeaks(mounts, path.join(machine.project, name), resolve))
}

const plain = { link: '/link' as const, isNamedByLink: false, readable: [], isReadByLink: false }
const inSystem = projects.filter((project) => /^\/(usr|nix|gnu)\//.test(project))

describe('the secrets of a project', () => {
  test('are seen by no path, wherever it lies and whatever is readable', () => {
    fc.assert(
      fc.property(machines, (machine) => {
        expect(leaksOf(machine, secrets)).toEqual([])
      }),
      { numRuns: 400 },
    )
  })
  test.each(inSystem)('control: %s is seen if nothing is hidden', (project) => {
    const leaks = leaksOf({ ...plain, project }, [...secrets, ...others], { hidden: [], cleared: [] })
    expect(leaks).toHaveLength(secrets.length + others.length)
  })
  test.each(inSystem)('%s is hidden as a whole, but for what its program needs', (project) => {
    const machine = { ...plain, project, readable: ['node_modules' as const] }
    expect(leaksOf(machine, others)).toEqual([])
    expect(leaksOf(machine, ['node_modules/agent/cli.js'])).toEqual([`${project}/node_modules/agent/cli.js`])
  })
  test.each(['/opt/app', '/home/u/app'])(
    'control: in %s what is not secret is seen where it is readable',
    (project) => {
      const machine = { ...plain, project, readable: ['.' as const] }
      expect(leaksOf(machine, others)).toHaveLength(others.length)
    },
  )
})

test.each([
  ['/usr/src/app/skills/pdf', '/usr/src/app'],
  ['/usr/local/src/me/app', '/usr/local/src/me'],
  ['/nix/store/abc-app/skills', '/nix/store/abc-app'],
  ['/usr/lib/node_modules/project/skills', '/usr/lib/node_modules/project'],
  ['/usr/lib/python3/site-packages/tool/skills', null],
  ['/usr/local', null],
  ['/usr/bin', null],
  ['/home/u/app', null],
])('the folder of the user around %s: %s', (place, folder) => {
  expect(findUserFolder(place, (one) => path.basename(one) === 'project')).toBe(folder)
})

describe('a folder that is mounted twice', () => {
  const mounts = [
    '27 1 254:0 / / rw - ext4 /dev/vda rw',
    '28 27 254:1 / /data rw - ext4 /dev/vdb rw',
    String.raw`29 27 254:1 /me/my\040app /usr/src/app rw - ext4 /dev/vdb rw`,
    '30 27 254:1 /me/my\\040app/evals /usr/share/evals rw - ext4 /dev/vdb rw',
    '31 27 254:0 /me /srv/me rw - ext4 /dev/vda rw',
  ].join('\n')
  test.each([
    ['/data/me/my app/evals/key.txt', ['/usr/src/app/evals/key.txt', '/usr/share/evals/key.txt']],
    ['/usr/src/app/evals', ['/data/me/my app/evals', '/usr/share/evals']],
    ['/data/me', ['/usr/src/app', '/usr/share/evals']],
    ['/data/other', []],
  ])('%s is found at %j', (place, aliases) => {
    expect(findMountAliases(place, mounts).map(({ alias }) => alias)).toEqual(aliases)
  })
  test('a part of it is the same as that part', () => {
    expect(findMountAliases('/data/me', mounts)).toContainEqual({
      alias: '/usr/share/evals',
      of: '/data/me/my app/evals',
    })
  })
})
