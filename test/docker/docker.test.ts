/**
 * The container files by their words alone: no Docker engine is here, so nothing is built or started. compose.yml is held against the
 * schema of the Compose Specification (compose-spec.json: github.com/compose-spec/compose-spec, Apache-2.0, its $schema and $id mended), the Dockerfile against rules below.
 */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import * as z from 'zod'

const root = path.join(import.meta.dirname, '../..')
const textOf = (file: string) => readFileSync(path.join(root, file), 'utf8')
const dockerfile = textOf('docker/Dockerfile')
const compose = textOf('docker/compose.yml')

/** Instructions with their arguments, continued lines joined, comments left out. */
function instructionsOf(text: string): [name: string, rest: string][] {
  const joined = text.replaceAll(/^\s*#.*\n/gm, '').replaceAll(/\\\n/g, ' ')
  return joined
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, name = '', rest = ''] = /^(\S+)\s*(.*)$/.exec(line.trim()) ?? []
      return [name, rest.replaceAll(/\s+/g, ' ')]
    })
}

const known = 'FROM RUN COPY WORKDIR ENV EXPOSE USER HEALTHCHECK ENTRYPOINT CMD'.split(' ')

function faultsOf(text: string): string[] {
  const all = instructionsOf(text)
  const of = (name: string) => all.filter(([one]) => one === name).map(([, rest]) => rest)
  const users = all.slice(all.findLastIndex(([name]) => name === 'FROM')).filter(([name]) => name === 'USER')
  return [
    ...all.flatMap(([name]) => (known.includes(name) ? [] : [`${name} is not an instruction that is used here`])),
    ...of('FROM').flatMap((image) =>
      /^[\w./-]+:(?!latest)[\w.-]*\d[\w.-]*( AS \w+)?$/.test(image) ? [] : [`${image}: no version`],
    ),
    ...of('RUN').flatMap((run) =>
      /apt-get install/.test(run) && !/rm -rf \/var\/lib\/apt/.test(run) ? ['package lists stay'] : [],
    ),
    ...of('RUN').flatMap((run) =>
      /apt-get install(?! --yes --no-install-recommends)/.test(run) ? ['apt-get asks'] : [],
    ),
    ...[...of('ENTRYPOINT'), ...of('CMD')].flatMap((one) =>
      isList(one) ? [] : [`${one}: a shell would stand between`],
    ),
    ...all.flatMap(([name, rest]) =>
      /^(ENV|ARG)$/.test(name) && /KEY|PASSWORD|TOKEN/.test(rest) ? [`${rest}: a secret`] : [],
    ),
    ...of('COPY').flatMap((copy) =>
      copy.startsWith('--from')
        ? []
        : copy
            .split(' ')
            .slice(0, -1)
            .filter((one) => !existsSync(path.join(root, one))),
    ),
    ...(users.length === 1 && users[0]?.[1] !== 'root' ? [] : ['it runs as root']),
  ]
}

function isList(text: string): boolean {
  try {
    return z.array(z.string()).safeParse(JSON.parse(text)).success
  } catch {
    return false
  }
}

describe('the Dockerfile', () => {
  test('keeps to the rules', () => expect(faultsOf(dockerfile)).toEqual([]))
  test.each([
    [/^USER node\n/m, '', 'it runs as root'],
    [/node:20\.20-bookworm-slim\n/, 'node:latest\n', 'node:latest: no version'],
    [/ *&& rm -rf \/var\/lib\/apt\/lists\/\*/, ' && true', 'package lists stay'],
    [/ENTRYPOINT .*/, 'ENTRYPOINT whetstone queue work', 'a shell would stand between'],
    [/COPY package.json/, 'COPY packages.json', 'packages.json'],
    [/ENV NODE_ENV/, 'ENV API_KEY=x NODE_ENV', 'a secret'],
    [/WORKDIR/, 'WORKDIRR', 'WORKDIRR is not an instruction'],
  ])('control: without %s it does not', (found, instead, fault) => {
    expect(faultsOf(dockerfile.replace(found, instead)).join('\n')).toContain(fault)
  })
})

const service = z.looseObject({ command: z.array(z.string()).optional(), secrets: z.array(z.string()).optional() })
const composed = z.looseObject({ services: z.record(z.string(), service), secrets: z.record(z.string(), z.unknown()) })

describe('compose.yml', () => {
  const ajv = new Ajv2019({ strict: false, validateFormats: false, logger: false })
  const fits = ajv.compile(JSON.parse(readFileSync(path.join(import.meta.dirname, 'compose-spec.json'), 'utf8')))
  test('fits the Compose Specification', () => expect([fits(parse(compose)), fits.errors]).toEqual([true, null]))
  test.each([
    [/restart:/g, 'restarts:'],
    [/stop_grace_period: 15m/, 'stop_grace_period: [15]'],
    [/services:/, 'service:'],
  ])('control: with %s changed it does not', (found, instead) => {
    expect(fits(parse(compose.replace(found, instead)))).toBe(false)
  })
  test('names no secret that is not declared, and holds none', () => {
    const { services, secrets } = composed.parse(parse(compose))
    const used = Object.values(services).flatMap((one) => one.secrets ?? [])
    expect(used.filter((name) => !Object.hasOwn(secrets, name))).toEqual([])
    expect(compose).not.toMatch(/^ +\w*(KEY|PASSWORD): *[^$\s]/m)
  })
  test('its worker takes only flags that there are, and those of the image', () => {
    const { services } = composed.parse(parse(compose))
    const image = z
      .array(z.string())
      .parse(JSON.parse(instructionsOf(dockerfile).find(([name]) => name === 'CMD')?.[1] ?? ''))
    const help = textOf('docs/reference/cli.md')
    for (const flag of [...(services.worker?.command ?? []), ...image].filter((word) => word.startsWith('--'))) {
      expect(help, flag).toContain(flag)
    }
    const port = (words: readonly string[] = []) => words[words.indexOf('--metrics-port') + 1]
    expect(port(services.worker?.command)).toBe(port(image))
  })
})
