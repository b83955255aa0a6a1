/** The frame of every view: name, tabs, search, theme, keyboard. */
import type { TargetedKeyboardEvent } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Model } from './data/model.ts'
import { Guard } from './parts/guard.tsx'
import { Help } from './parts/help.tsx'
import { useKeys } from './parts/keys.ts'
import { Live } from './parts/live.tsx'
import { nextTheme, useTheme } from './parts/theme.ts'
import { restore } from './position.ts'
import { amend, go, link, type Route, useRoute } from './route.ts'
import { tabOf, tabsOf, viewOf } from './tabs.tsx'

export function App({ model }: { model: Model }) {
  const route = useRoute()
  const [help, setHelp] = useState(false)
  const [theme, setTheme] = useTheme()
  const search = useRef<HTMLInputElement>(null)
  const main = useRef<HTMLElement>(null)
  const nav = useRef<HTMLElement>(null)
  const tabs = tabsOf(model)
  const place = route.path.join('/')
  // a new place starts at its top, one come back to where it was left
  useLayoutEffect(() => restore(place), [place])
  // what had the focus is gone with the view before: the keyboard goes on at the start of this one
  const isFirst = useRef(true)
  useLayoutEffect(() => {
    if (!isFirst.current && document.activeElement === document.body) main.current?.focus({ preventScroll: true })
    isFirst.current = false
  }, [place])
  // of many tabs on a narrow screen the one that is open is seen; scrollIntoView would move the page too
  useLayoutEffect(() => {
    const show = () => {
      const current = nav.current?.querySelector<HTMLElement>('[aria-current]')
      if (current) nav.current?.scrollTo({ left: current.offsetLeft - current.offsetWidth })
    }
    show()
    addEventListener('resize', show)
    return () => removeEventListener('resize', show)
  }, [place])
  useEffect(() => {
    document.title = `${place === '' ? (tabs[0]?.label ?? '') : place} · ${model.page.benchmark.metadata.skill_name}`
  }, [place, model])
  useKeys((event) => {
    const number = Number(event.key)
    if (event.key === '/') {
      event.preventDefault()
      search.current?.focus()
    } else if (event.key === '?') setHelp(true)
    else if (event.key === 't') setTheme(nextTheme(theme))
    else if (event.key === 'u') go(parentOf(route))
    else if (number > 0 && tabs[number - 1] !== undefined) go(tabs[number - 1]?.address ?? '#/')
  })
  const searches = model.page.without_benchmark !== true
  const searchable = ['', 'runs', 'triggers', 'compare'].includes(place)
  const find = (text: string) => (searchable ? amend(route, { q: text }) : go(link(['runs'], { q: text })))
  // a browser empties the box by itself, which leaves the filter in force
  const clear = (event: TargetedKeyboardEvent<HTMLInputElement>) => {
    event.preventDefault()
    event.currentTarget.value = ''
    if (searchable) find('')
    event.currentTarget.blur()
  }
  return (
    <>
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        Skip to the content
      </button>
      <header class="bar">
        <a class="brand" href="#/">
          <bdi>{model.page.benchmark.metadata.skill_name}</bdi>
        </a>
        <nav aria-label="Views" ref={nav}>
          {tabs.map(({ name, label, address }) => (
            <a key={name} href={address} aria-current={name === tabOf(model, route) ? 'page' : undefined}>
              {label}
            </a>
          ))}
        </nav>
        {searches && (
          <input
            ref={search}
            type="search"
            placeholder={place === 'runs' ? 'arm: status: case: cost>0.1 …' : 'Search'}
            aria-label="Search cases and runs"
            value={route.query.q ?? ''}
            onInput={(event) => searchable && find(event.currentTarget.value)}
            onKeyDown={(event) => event.key === 'Escape' && clear(event)}
            onChange={(event) => !searchable && event.currentTarget.value !== '' && find(event.currentTarget.value)}
          />
        )}
        <button type="button" class="ghost" onClick={() => setTheme(nextTheme(theme))} aria-label={`Theme: ${theme}`}>
          {theme === 'dark' ? '☾' : theme === 'light' ? '☀' : '◐'}
        </button>
        <button type="button" class="ghost" onClick={() => setHelp(true)} aria-label="Keyboard and search help">
          ?
        </button>
      </header>
      <main id="main" ref={main} tabIndex={-1}>
        <Guard key={place}>{viewOf(model, route)}</Guard>
      </main>
      <Live />
      {help && <Help close={() => setHelp(false)} />}
    </>
  )
}

function parentOf({ path: [first, id] }: Route): string {
  return first === 'run' && id !== undefined ? link(['case', id]) : '#/'
}
