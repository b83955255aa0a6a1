// What may go wrong, each as a function that does it and lets it end.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isWhole } from './tally.mjs'
import { shared, signalWorker, startWorker, top } from './world.mjs'

const isRoot = process.getuid() === 0
const fakeTime = [
  '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1',
  '/usr/lib/aarch64-linux-gnu/faketime/libfaketime.so.1',
].find((file) => statSync(file, { throwIfNoEntry: false }))

/** What of it this machine can do; the rest is said, not silently left out. */
export const can = {
  clock: fakeTime !== undefined,
  disk:
    isRoot &&
    trial(['mount', '-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', made('try-mount')], ['umount', made('try-mount')]),
  network: isRoot && trial(['ip', 'netns', 'add', 'chaos-try'], ['ip', 'netns', 'del', 'chaos-try']),
}

function made(name) {
  const folder = path.join(top, name)
  mkdirSync(folder, { recursive: true })
  return folder
}

function trial(does, undoes) {
  if (spawnSync(does[0], does.slice(1)).status !== 0) return false
  return spawnSync(undoes[0], undoes.slice(1)).status === 0
}

/** A worker whose clock is an hour ahead. */
export const skewed = { LD_PRELOAD: fakeTime ?? '', FAKETIME: '+1h', FAKETIME_DONT_FAKE_MONOTONIC: '1' }

/** A network of its own, joined by a cable that can be cut; gives the address at which this machine is seen from there. */
export function ownNetwork() {
  const name = `chaos${process.pid}`
  const cable = `${name}a`.slice(-15)
  const net = `10.199.${process.pid % 250}` // another chaos may run beside it
  const run = (...words) => execFileSync('ip', words)
  run('netns', 'add', name)
  run('link', 'add', cable, 'type', 'veth', 'peer', 'name', 'inside', 'netns', name)
  run('addr', 'add', `${net}.1/30`, 'dev', cable)
  run('link', 'set', cable, 'up')
  run('netns', 'exec', name, 'ip', 'addr', 'add', `${net}.2/30`, 'dev', 'inside')
  run('netns', 'exec', name, 'ip', 'link', 'set', 'inside', 'up')
  run('netns', 'exec', name, 'ip', 'link', 'set', 'lo', 'up')
  return {
    address: `${net}.1`,
    through: ['ip', 'netns', 'exec', name],
    async cut(ms) {
      run('link', 'set', cable, 'down')
      await sleep(ms)
      run('link', 'set', cable, 'up')
    },
    end: () => spawnSync('ip', ['netns', 'del', name]),
  }
}

/** A temporary folder of few bytes. */
export function smallDisk() {
  const folder = made('small-disk')
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', folder])
  const filler = path.join(folder, 'filler')
  return {
    folder,
    async fill(ms) {
      try {
        writeFileSync(filler, Buffer.alloc(9 * 2 ** 20))
      } catch {} // full, which is what was wanted
      await sleep(ms)
      rmSync(filler, { force: true })
    },
    end: () => spawnSync('umount', ['-l', folder]),
  }
}

/** Flips a byte of some file of a bundle: on a worker, or where all take it from. Gives what it was. */
function corrupt(folder, draw) {
  if (!existsSync(folder)) return null // there is none yet
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => statSync(file).size > 0)
  const file = files[Math.floor(draw() * files.length)]
  if (file === undefined) return null
  const bytes = readFileSync(file)
  const at = Math.floor(draw() * bytes.length)
  bytes[at] ^= 0xff
  rmSync(file, { force: true })
  writeFileSync(file, bytes)
  return file
}

/** Only where it was killed before its end: the benchmark is whole by then, and the same command begins another. */
async function restart(world, ms) {
  world.coordinator.child.kill('SIGKILL')
  const end = await world.coordinator.done
  if (end.signal === null) return
  if (isWhole()) {
    world.end = { ...end, code: 0 }
    return
  }
  await sleep(ms)
  world.startCoordinator()
}

export const faults = {
  async 'kill a worker'(world) {
    const at = world.pick(world.workers.length)
    signalWorker(world.workers[at], 'SIGKILL')
    world.gone.push(world.workers[at])
    await sleep(200)
    world.workers[at] = startWorker({ url: world.url, places: world.places })
  },
  async 'freeze a worker'(world) {
    const one = world.workers[world.pick(world.workers.length)]
    signalWorker(one, 'SIGSTOP')
    await sleep(3000 + world.draw() * 3000)
    signalWorker(one, 'SIGCONT')
  },
  async 'kill the coordinator'(world) {
    await restart(world, world.draw() * 2000)
  },
  async 'kill the server'(world) {
    await world.server.kill()
    await sleep(world.draw() * 2000)
    await world.server.start()
  },
  async 'damage a bundle on a worker'(world) {
    const one = world.workers[world.pick(world.workers.length)]
    // each worker has one temporary folder with bundles
    for (const name of readdirSync(one.temporary)) {
      const kept = path.join(one.temporary, name, 'bundles')
      if (existsSync(kept)) corrupt(kept, world.draw)
    }
  },
  async 'damage a bundle where all take it from'(world) {
    const file = corrupt(path.join(shared, 'bundles'), world.draw)
    await sleep(1500)
    if (file !== null) rmSync(file, { force: true }) // it is put anew by whoever comes next
    await restart(world, 0)
  },
  async 'cut a worker off'(world) {
    await world.network?.cut(2500 + world.draw() * 3000)
  },
  async "fill a worker's disk"(world) {
    await world.disk?.fill(2000 + world.draw() * 2000)
  },
}
