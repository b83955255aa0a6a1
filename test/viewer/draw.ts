/** Draws a view of the page in Node: its texts, links and states, for all that needs no layout, focus or time. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import DOMPurify from 'dompurify'
import { type ComponentType, h, render } from 'preact'
import { act } from 'preact/test-utils'
import { afterAll, beforeAll } from 'vitest'
import type { Page } from '../../schemas/page.ts'
import { packedIn } from './unpack.ts'

class Node {
  parentNode: Node | null = null
  childNodes: Node[] = []
  readonly nodeType: number
  data = ''
  constructor(nodeType: number) {
    this.nodeType = nodeType
  }
  get firstChild(): Node | null {
    return this.childNodes[0] ?? null
  }
  get children(): Node[] {
    return this.childNodes.filter(({ nodeType }) => nodeType === 1)
  }
  get nextSibling(): Node | null {
    const all = this.parentNode?.childNodes ?? []
    return all[all.indexOf(this) + 1] ?? null
  }
  get textContent(): string {
    return this.nodeType === 3 ? this.data : this.childNodes.map((one) => one.textContent).join('')
  }
  contains(other: Node | null): boolean {
    return other !== null && (other === this || this.contains(other.parentNode))
  }
  insertBefore(node: Node, before: Node | null): void {
    node.remove()
    const place = before === null ? this.childNodes.length : this.childNodes.indexOf(before)
    this.childNodes.splice(place, 0, node)
    node.parentNode = this
  }
  appendChild(node: Node): void {
    this.insertBefore(node, null)
  }
  removeChild(node: Node): void {
    this.childNodes = this.childNodes.filter((one) => one !== node)
    node.parentNode = null
  }
  remove(): void {
    this.parentNode?.removeChild(this)
  }
}

type Heard = (event: object) => void

/** Of an element of the page: what Preact sets. */
class Element extends Node {
  readonly localName: string
  readonly style = { setProperty: () => {} }
  readonly attributes = new Map<string, string>()
  readonly listeners = new Map<string, Heard>()
  onclick = null
  oninput = null
  onchange = null
  ontoggle = null
  constructor(name: string) {
    super(1)
    this.localName = name
  }
  setAttribute(name: string, value: unknown): void {
    this.attributes.set(name, `${value}`)
  }
  removeAttribute(name: string): void {
    this.attributes.delete(name)
  }
  getAttribute(name: string): string | null {
    return this.attributes.get(name) ?? null
  }
  addEventListener(name: string, heard: Heard): void {
    this.listeners.set(name, heard)
  }
  removeEventListener(name: string): void {
    this.listeners.delete(name)
  }
  getBoundingClientRect() {
    return { top: 0, bottom: 0, left: 0, right: 0, width: 0, height: 0 }
  }
  /** Of Markdown: its HTML as text. A browser's tests hold what is made of it. */
  replaceChildren(html: unknown): void {
    this.childNodes = []
    this.appendChild(Object.assign(new Node(3), { data: `${html}` }))
  }
  scrollTo(): void {}
  scrollIntoView(): void {}
  querySelector(): null {
    return null
  }
}

const part = /([a-z][\w]*)|#([\w-]+)|\.([\w-]+)|\[([\w-]+)(?:(\^?=)"?([^"\]]*)"?)?\]|:has\(([^)]*)\)/g

function fits(one: Element, simple: string): boolean {
  return [...simple.matchAll(part)].every(([, tag, id, kind, name, how, value = '', inside]) => {
    if (tag !== undefined) return one.localName === tag
    if (id !== undefined) return one.getAttribute('id') === id
    if (kind !== undefined) return (one.getAttribute('class') ?? '').split(' ').includes(kind)
    if (inside !== undefined) return findAll(one, inside).length > 0
    const own = one.getAttribute(name ?? '')
    if (own === null || how === undefined) return own !== null
    return how === '=' ? own === value : own.startsWith(value)
  })
}

function isAt(one: Element, steps: readonly string[], root: Node): boolean {
  const [simple = '', how = '', ...others] = steps
  if (!fits(one, simple)) return false
  if (how === '') return true
  const above = (from: Node): Element[] =>
    from.parentNode instanceof Element && from !== root ? [from.parentNode, ...above(from.parentNode)] : []
  const siblings = (one.parentNode?.childNodes ?? []).filter((node) => node instanceof Element)
  const before = siblings[siblings.indexOf(one) - 1]
  const places = how === '+' ? (before === undefined ? [] : [before]) : above(one).slice(0, how === '>' ? 1 : undefined)
  return places.some((place) => isAt(place, others, root))
}

/** By selectors of tags, #id, .class, [attribute], :has(), and the combinators " ", ">" and "+". */
function findAll(root: Node, selector: string): Element[] {
  const every = (node: Node): Element[] =>
    node.childNodes.flatMap((one) => (one instanceof Element ? [one, ...every(one)] : []))
  const ways = selector.split(/,(?![^(]*\))/).map((way) =>
    way
      .trim()
      .split(/(\s*[>+]\s*|\s+)(?![^([]*[)\]])/)
      .map((step, at) => (at % 2 === 1 ? step.trim() || ' ' : step))
      .reverse(),
  )
  return every(root).filter((one) => ways.some((steps) => isAt(one, steps, root)))
}

export interface Drawn {
  all(selector: string): Element[]
  /** The one that matches; several or none are an error. */
  one(selector: string): Element
  texts(selector: string): string[]
  /** Of the view, or of the one that matches. */
  text(selector?: string): string
  /** Text and address of each link. */
  links(selector: string): [string, string | null][]
  click(selector: string): Promise<void>
  /** What the address is now, such as "#/runs?q=x". */
  hash(): string
  title(): string
}

/** How many texts are being unpacked. */
let reading = 0
class CountedResponse extends Response {
  override async text(): Promise<string> {
    reading += 1
    return super.text().finally(() => {
      reading -= 1
    })
  }
}

const browser = () => {
  const listeners = new Map<string, Set<Heard>>()
  const body = new Element('body')
  const location = { hash: '', protocol: 'file:', pathname: '/benchmarks/2026/report.html' }
  const root = new Element('html')
  const made = (name: string) => new Element(name)
  return {
    document: {
      ...{ nodeType: 9, body, activeElement: body, documentElement: Object.assign(root, { dataset: {} }) },
      ...{
        currentScript: null,
        title: '',
        createElement: made,
        createElementNS: (_: string, name: string) => made(name),
      },
      createTextNode: (data: string) => Object.assign(new Node(3), { data }),
      querySelector: () => null,
      querySelectorAll: () => [],
    },
    ...{
      location,
      innerHeight: 1e6,
      scrollY: 0,
      scrollTo() {},
      scrollBy() {},
      CSS: { escape: (text: string) => text },
    },
    history: { state: null, replaceState: (_: unknown, __: string, hash: string) => Object.assign(location, { hash }) },
    matchMedia: () => ({ matches: false, addEventListener() {}, removeEventListener() {} }),
    localStorage: { getItem: () => null, setItem() {} },
    ResizeObserver: class {
      observe() {}
      disconnect() {}
    },
    HashChangeEvent: class {
      type = 'hashchange'
    },
    ...{ HTMLElement: Element, HTMLAnchorElement: Element, Response: CountedResponse },
    addEventListener(name: string, heard: Heard) {
      listeners.set(name, (listeners.get(name) ?? new Set()).add(heard))
    },
    removeEventListener: (name: string, heard: Heard) => void listeners.get(name)?.delete(heard),
    dispatchEvent(event: { type: string }) {
      for (const heard of listeners.get(event.type) ?? []) heard(event)
    },
  }
}

interface Viewer {
  App: ComponentType<{ model: unknown }>
  createModel(page: Page): unknown
  replaceEmbedded(found: ReadonlyMap<string, string>): void
  unpack(text: string): Promise<string>
  parseVisible(json: string): Page
}

async function loadViewer(): Promise<Viewer> {
  const names = ['app.tsx', 'data/model.ts', 'data/load_on_demand.ts', 'data/unpack.ts']
  const parts = names.map((name) => import(path.join(import.meta.dirname, '../../viewer', name)))
  return Object.assign({}, ...(await Promise.all(parts)))
}

/** Draws the page in a file at an address, once it has read what it shows; `change` makes another page of it first. */
type Draw = (staged: { report: string }, hash: string, change?: (page: Page) => Page) => Promise<Drawn>

/** For the tests of a file. */
export function drawPages(): Draw {
  const own = browser()
  const before = new Map<string, PropertyDescriptor | undefined>()
  let viewer: Viewer | undefined
  let leave = () => {}
  beforeAll(async () => {
    for (const [name, value] of Object.entries({ ...own, window: own })) {
      before.set(name, Object.getOwnPropertyDescriptor(globalThis, name))
      Object.defineProperty(globalThis, name, { value, configurable: true, writable: true })
    }
    // it has no function without a real document
    if (!DOMPurify.isSupported) Object.assign(DOMPurify, { sanitize: (html: string) => html })
    viewer = await loadViewer()
  })
  afterAll(() => {
    leave()
    for (const [name, descriptor] of before) {
      if (descriptor === undefined) Reflect.deleteProperty(globalThis, name)
      else Object.defineProperty(globalThis, name, descriptor)
    }
  })
  return async ({ report }, hash, change = (page) => page) => {
    if (viewer === undefined) throw new Error('before the tests')
    const { App, createModel, replaceEmbedded, unpack, parseVisible } = viewer
    leave()
    const packed = packedIn(readFileSync(report, 'utf8'))
    replaceEmbedded(packed)
    const model = createModel(change(parseVisible(await unpack(packed.get('page') ?? ''))))
    own.location.hash = hash
    const root = new Element('body')
    // what it showed stays to be read, though nothing of it runs on
    leave = () => {
      const shown = root.childNodes
      void act(() => render(null, root as never))
      for (const one of shown) root.appendChild(one)
    }
    void act(() => render(h(App, { model }), root as never))
    await settle()
    return readDrawn(root, own)
  }
}

/** Until the view has read what it shows, and what that asks for. */
async function settle(): Promise<void> {
  do {
    await act(() => new Promise<void>((done) => void setImmediate(done)))
    await act(() => new Promise<void>((done) => void setImmediate(done)))
  } while (reading > 0)
}

function readDrawn(root: Element, { location, document: { title } }: ReturnType<typeof browser>): Drawn {
  const all = (selector: string) => findAll(root, selector)
  const one = (selector: string) => {
    const [first, ...others] = all(selector)
    if (first === undefined || others.length > 0) throw new Error(`${others.length + (first ? 1 : 0)} of ${selector}`)
    return first
  }
  return {
    ...{ all, one },
    texts: (selector) => all(selector).map((each) => each.textContent),
    text: (selector = 'main') => one(selector).textContent,
    links: (selector) => all(selector).map((each) => [each.textContent, each.getAttribute('href')]),
    async click(selector) {
      const target = one(selector)
      void act(() => target.listeners.get('click')?.call(target, { type: 'click', currentTarget: target, target }))
      await settle()
    },
    hash: () => location.hash,
    title: () => title,
  }
}
