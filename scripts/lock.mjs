// Completes package-lock.json after `npm install` from a registry mirror that lacks the optional packages of other
// platforms: npm then leaves their entries out, and `npm ci` refuses the file everywhere. Adds them, as the names tell.
import { readFileSync, writeFileSync } from 'node:fs'

const file = new URL('../package-lock.json', import.meta.url)
const lock = JSON.parse(readFileSync(file, 'utf8'))
const systems = ['android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'aix', 'win32']
const processors = ['arm64', 'x64', 'arm', 'ia32', 'ppc64', 'riscv64', 's390x', 'loong64', 'mips64el', 'wasm32']

function platformOf(name) {
  const words = name.split('/').at(-1).split('-')
  const os = systems.filter((one) => words.includes(one))
  const cpu = processors.filter((one) => words.includes(one))
  const libc = words.some((word) => word.startsWith('musl')) ? ['musl'] : words.includes('gnu') ? ['glibc'] : []
  return { os, cpu, libc }
}

const added = []
for (const [parent, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const place = `node_modules/${name}`
    if (lock.packages[place] || lock.packages[`${parent}/${place}`] || !/^\d/.test(version)) continue
    const { os, cpu, libc } = platformOf(name)
    if (os.length === 0 || cpu.length === 0) continue
    lock.packages[place] = {
      version,
      cpu,
      ...(entry.dev ? { dev: true } : {}),
      ...(libc.length > 0 ? { libc } : {}),
      optional: true,
      os,
    }
    added.push(name)
  }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)))
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
console.log(`${added.length} entries added`)
