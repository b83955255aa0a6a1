/** Reads environment/Dockerfile: what its last stage copies, runs and sets. */
import path from 'node:path'
import { Add, Copy, DockerfileParser, Env, type Flag, From, type Instruction, Run, Workdir } from 'dockerfile-ast'
import type { HarborCopy, HarborStep } from '../../../schemas/harbor_task.ts'
import { quoteWord } from '../../base/package_root.ts'

export interface DockerWorld {
  workdir: string
  env: Record<string, string>
  /** Copies name their sources as written: files, folders or globs, relative to environment/. */
  steps: HarborStep[]
  skillCopies: HarborCopy[]
  /** Why bubblewrap can't build this world; null: it can. */
  notPlain: string | null
  /** Why no backend may build it: an image that is a place on this machine; null: none. */
  wrongImage: string | null
  /** What uses the network while an image is built without one; null: nothing. */
  network: string | null
}

/** Reads the last stage. Copies of the task's skills are apart, because only one configuration gets skills. Pure. */
export function readDockerfile(text: string): DockerWorld {
  const all = DockerfileParser.parse(text).getInstructions()
  const first = all.findLastIndex((one) => one.getKeyword() === 'FROM')
  const world: DockerWorld = {
    workdir: '/',
    env: {},
    steps: [],
    skillCopies: [],
    notPlain: null,
    network: findNetworkUse(text, all),
    wrongImage: findWrongImage(all),
  }
  for (const instruction of all.slice(first + 1)) {
    const refusal = readInstruction(instruction, world)
    world.notPlain ??= refusal && `Dockerfile line ${lineOf(instruction)}: ${refusal}`
  }
  return world
}

/** What the builder itself fetches, or may fetch, or a command that asks for a network of its own, in any stage. Images are always pulled. */
function findNetworkUse(text: string, all: readonly Instruction[]): string | null {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/)
  // BuildKit reads other settings from JSON, and joins fewer lines
  const odd = lines.findIndex((line) => /[\\`]{2}[ \t]*$/.test(line))
  if (/^\s*\{/.test(text) || odd >= 0) return `Dockerfile line ${odd + 1 || 1}: builders read it in different ways`
  // the head of the file, where BuildKit looks for the program that reads it
  const [head = ''] = /^(?:\s*(?:#|\/\/).*\n|\s*\n)*/.exec(`${lines.join('\n')}\n`) ?? []
  const [, frontend = ''] = /^\s*(?:#|\/\/)\s*syntax\s*=\s*(\S+)/im.exec(head) ?? []
  if (frontend !== '' && !/^(?:docker\.io\/)?docker\/dockerfile(?:[:@]|$)/.test(frontend))
    return `Dockerfile: its syntax is a program from the network, ${frontend}`
  for (const one of all) {
    const at = `Dockerfile line ${lineOf(one)}`
    if (one.getKeyword() === 'ONBUILD') return `${at}: ONBUILD starts what is not checked`
    if (one instanceof Run && one.getFlags().some((flag) => flag.getName() === 'network' && flag.getValue() !== 'none'))
      return `${at}: asks for a network`
    const words = one instanceof Add ? listWords(one.getArgumentsContent() ?? '').slice(0, -1) : []
    if (words.some((word) => /["'\\$:@]/.test(word))) return `${at}: adds a file from the network`
  }
  return null
}

/** Neither an option of the client nor a place on this machine, as Podman reads dir:/home. */
export function isImageName(name: string): boolean {
  const form = /^[a-z\d][\w.-]*(?::\d+)?(?:\/[\w.-]+)*(?::[\w.-]+)?(?:@sha256:[\da-f]{64})?$/i
  const place = /^(?:dir|oci|oci-archive|docker-archive|docker-daemon|containers-storage|tarball|ostree|sif):/i
  return form.test(name) && !place.test(name) && !name.includes('..')
}

/** An image of FROM, COPY --from or RUN --mount=from that is neither a name, nor an earlier stage; null: none. */
function findWrongImage(all: readonly Instruction[]): string | null {
  const stages = new Set(['scratch'])
  const variables: Record<string, string> = {}
  let count = 0
  for (const one of all) {
    const written = one.getArgumentsContent() ?? ''
    if (one.getKeyword() === 'ARG' && count === 0) {
      const [name = '', value] = written.split('=')
      if (value !== undefined) variables[name] = value.replace(/^["']|["']$/g, '')
    }
    const flags = one instanceof Run || one instanceof Copy || one instanceof Add ? one.getFlags() : []
    const named = one instanceof From ? [one.getImage() ?? ''] : flags.flatMap(listImages)
    for (const image of named.map((name) => expand(name, variables)))
      if (!stages.has(image.toLowerCase()) && !isImageName(image))
        return `Dockerfile line ${lineOf(one)}: not the name of an image: ${image}`
    if (!(one instanceof From)) continue
    stages.add(String(count)).add((one.getBuildStage() ?? '').toLowerCase())
    count += 1
  }
  return null
}

/** Those of `--from=image` and `--mount=…,from=image`. */
function listImages(flag: Flag): string[] {
  const value = flag.getValue() ?? ''
  if (flag.getName() === 'from') return [value]
  return [...value.matchAll(/(?:^|[,"'])from=([^,"']*)/g)].map(([, name = '']) => name)
}

/** Returns what bubblewrap can't do; null: nothing. */
function readInstruction(instruction: Instruction, world: DockerWorld): string | null {
  if (instruction instanceof Workdir) {
    world.workdir = path.posix.resolve(world.workdir, expand(instruction.getPath() ?? '', world.env))
    return null
  }
  if (instruction instanceof Env) {
    for (const one of instruction.getProperties()) world.env[one.getName()] = expand(one.getValue() ?? '', world.env)
    return null
  }
  if (instruction instanceof Run) return readRun(instruction, world)
  if (instruction instanceof Copy || instruction instanceof Add) return readCopy(instruction, world)
  if (instruction.getKeyword() === 'ARG') {
    const [name = '', value] = (instruction.getArgumentsContent() ?? '').split('=')
    if (value !== undefined) world.env[name] ??= value.replace(/^["']|["']$/g, '')
  }
  return null
}

function readRun(instruction: Run, world: DockerWorld): string | null {
  const [heredoc] = instruction.getHeredocs()
  const written = instruction.getArgumentsContent() ?? ''
  const body = heredoc === undefined ? written : written.split('\n').slice(1, -1).join('\n')
  const command = toShellCommand(body.replace(/^(?:--\S+\s+)+/, '').trim())
  const { workdir } = world
  if (command !== '') world.steps.push({ kind: 'run', command, workdir, line: lineOf(instruction) })
  return null
}

/** RUN ["program", "argument"] starts the program without a shell: its words are quoted. Invalid JSON is a shell's text, as for Docker. */
function toShellCommand(text: string): string {
  const words = text.startsWith('[') ? listWords(text) : []
  return words.length === 0 ? text : words.map(quoteWord).join(' ')
}

function readCopy(instruction: Copy | Add, world: DockerWorld): string | null {
  const flags = new Map(instruction.getFlags().map((flag) => [flag.getName(), flag.getValue()]))
  const written = instruction.getArgumentsContent() ?? ''
  if (flags.has('from')) return 'copies from another image'
  if (/<<-?\s*["']?\w/.test(written)) return 'copies a text that is written in the Dockerfile'
  const mode = flags.get('chmod') ?? null
  const words = listWords(written)
  const last = words.pop()
  if (last === undefined || words.length === 0) return null
  const target = expand(last, world.env)
  const isFolder = target.endsWith('/') || target === '.' || words.length > 1
  const to = path.posix.resolve(world.workdir, target)
  for (const word of words) {
    const from = path.posix.normalize(expand(word, world.env)).replace(/^\/+/, '')
    if (/^https?:/.test(word)) return 'adds a file from the network'
    const list: HarborStep[] = isSkills(from) ? world.skillCopies : world.steps
    list.push({
      kind: 'copy',
      from: from.replace(/\/$/, '') || '.',
      to: isFolder && !to.endsWith('/') ? `${to}/` : to,
      ...(mode !== null && /^\d+$/.test(mode) && { mode }),
    })
  }
  return null
}

/** The task's skills, for the folder of any agent. */
function isSkills(from: string): boolean {
  return /^(?:\.\/)?skills(?:\/|$)/.test(from)
}

/** The words of COPY, plain or as a JSON list. */
function listWords(text: string): string[] {
  if (!text.startsWith('[')) return text.split(/\s+/).filter(Boolean)
  try {
    const list: unknown = JSON.parse(text)
    return Array.isArray(list) ? list.map(String) : []
  } catch {
    return []
  }
}

function expand(text: string, env: Readonly<Record<string, string>>): string {
  return text.replace(/\\\$|\$(?:\{(\w+)(?::-([^}]*))?\}|(\w+))/g, (found, braced, fallback, plain) => {
    return found === '\\$' ? '$' : (env[braced ?? plain] ?? fallback ?? '')
  })
}

function lineOf(instruction: Instruction): number {
  return instruction.getRange().start.line + 1
}
