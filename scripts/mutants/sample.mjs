// Chooses mutants of a folder's TypeScript by a fixed seed, and writes all of them into a copy of the source, each behind a switch.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseSync } from 'rolldown/experimental'

/** What an operator becomes. */
const operators = {
  '===': '!==',
  '!==': '===',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '&&': '||',
  '||': '&&',
  '??': '&&',
}

/** Methods whose call may be left out (null), or becomes another's. */
const methods = {
  filter: null,
  sort: null,
  toSorted: null,
  reverse: null,
  trim: null,
  slice: null,
  toLowerCase: null,
  some: 'every',
  every: 'some',
  min: 'max',
  max: 'min',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
}

/**
 * @param {string} root the copy of the project
 * @param {readonly string[]} folders below root
 * @param {{ count: number, seed: number }} options
 * @returns {{ id: number, file: string, line: number, kind: string, from: string, to: string }[]}
 */
export function writeMutants(root, folders, { count, seed }) {
  const files = folders.flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
      .map((name) => path.posix.join(folder, name.replaceAll(path.sep, '/')))
      .sort(),
  )
  const possible = files.flatMap((file) => listMutants(file, readFileSync(path.join(root, file), 'utf8')))
  const chosen = choose(possible, count, seed)
  for (const file of new Set(chosen.map((one) => one.file))) {
    const place = path.join(root, file)
    writeFileSync(
      place,
      writeSwitches(
        readFileSync(place, 'utf8'),
        chosen.filter((one) => one.file === file),
      ),
    )
  }
  return chosen.map(({ id, file, line, kind, from, to }) => ({ id, file, line, kind, from, to }))
}

/** The mutants with the smallest hashes, so that an edit elsewhere leaves the others in the sample; of two that overlap the first stays. */
function choose(possible, count, seed) {
  const seen = new Map()
  const hashed = possible.map((one) => {
    const text = JSON.stringify([seed, one.file, one.kind, one.from, one.to])
    const before = seen.get(text) ?? 0
    seen.set(text, before + 1)
    return { one, hash: createHash('sha256').update(`${text}${before}`).digest('hex') }
  })
  const chosen = []
  for (const { one } of hashed.toSorted((a, b) => (a.hash < b.hash ? -1 : 1))) {
    if (chosen.length === count) break
    const overlaps = chosen.some((two) => two.file === one.file && two.start < one.end && one.start < two.end)
    if (!overlaps) chosen.push({ ...one, id: chosen.length + 1 })
  }
  return chosen
}

/** Mutants inside functions: what a module does when it loads can't be switched in a running process. Texts of messages stay. */
function listMutants(file, text) {
  const { program } = parseSync(file, text)
  const found = []
  const add = (kind, node, to) =>
    found.push({
      file,
      kind,
      start: node.start,
      end: node.end,
      to,
      from: text.slice(node.start, node.end),
      line: text.slice(0, node.start).split('\n').length,
    })
  const source = (node) => text.slice(node.start, node.end)
  const visit = (node, parent, inside) => {
    if (node === null || typeof node !== 'object') return
    if (Array.isArray(node)) {
      for (const one of node) visit(one, parent, inside)
      return
    }
    if (typeof node.type !== 'string' || node.type.startsWith('TSType') || node.type.startsWith('TSInterface')) return
    if (inside) mutate(node, parent, { add, source })
    const entersFunction = /Function/.test(node.type)
    for (const [key, value] of Object.entries(node)) {
      if (key === 'type' || key === 'typeAnnotation' || key === 'returnType' || key === 'typeParameters') continue
      visit(value, node, inside || (entersFunction && key === 'body'))
    }
  }
  visit(program, null, false)
  return found
}

function mutate(node, parent, { add, source }) {
  switch (node.type) {
    case 'BinaryExpression':
    case 'LogicalExpression': {
      const to = operators[node.operator]
      if (to === undefined || isText(node.left) || isText(node.right)) return
      add('operator', node, `(${source(node.left)}) ${to} (${source(node.right)})`)
      return
    }
    case 'UnaryExpression':
      if (node.operator === '!') add('negation', node, `!!(${source(node.argument)})`)
      return
    case 'ConditionalExpression':
      add('condition', node.test, 'true')
      add('condition', node.test, 'false')
      return
    case 'IfStatement':
      add('condition', node.test, 'true')
      add('condition', node.test, 'false')
      return
    case 'Literal':
      if (typeof node.value === 'boolean') add('boolean', node, String(!node.value))
      if (typeof node.value === 'number' && parent?.type !== 'Property') add('number', node, String(node.value + 1))
      return
    case 'ArrayExpression':
      if (node.elements.length > 0) add('array', node, '[]')
      return
    case 'CallExpression': {
      const { callee } = node
      if (callee.type !== 'MemberExpression' || callee.computed || callee.optional) return
      const to = methods[callee.property.name]
      if (to === null) add('call', node, source(callee.object))
      if (typeof to === 'string') {
        const rest = source(node).slice(callee.end - node.start)
        add('call', node, `${source(callee.object)}.${to}${rest}`)
      }
      return
    }
    case 'BlockStatement':
      if (node.body.length > 0 && !/^(Try|Catch)/.test(parent?.type ?? '')) add('block', node, '{}')
      return
    case 'ArrowFunctionExpression':
      if (node.body.type !== 'BlockStatement') add('value', node.body, 'undefined')
  }
}

const isText = (node) =>
  node.type === 'TemplateLiteral' || (node.type === 'Literal' && typeof node.value === 'string' && node.value === '')

/** `__mutant(7)` says whether mutant 7 is on, and notes that its place was passed. */
function writeSwitches(text, mutants) {
  let changed = text
  for (const { id, start, end, to, kind } of mutants.toSorted((a, b) => b.start - a.start)) {
    const from = changed.slice(start, end)
    const put = kind === 'block' ? `{ if (!__mutant(${id})) ${from} }` : `(__mutant(${id}) ? (${to}) : (${from}))`
    changed = changed.slice(0, start) + put + changed.slice(end)
  }
  return prelude + changed
}

const prelude = `const __mutant = ((globalThis as any).__mutant ??= (() => {
  const state = (globalThis as any).__mutants ??= { active: Number(process.env.WHETSTONE_MUTANT ?? 0), passed: new Set<number>() }
  const note = process.env.WHETSTONE_MUTANTS_PASSED
  if (note !== undefined) process.on('exit', () => {
    if (state.passed.size > 0) process.getBuiltinModule('node:fs').appendFileSync(note, [...state.passed].join(' ') + ' ')
  })
  return (id: number) => { state.passed.add(id); return state.active === id }
})());
`
