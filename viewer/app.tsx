/** The frame around every view: name, tabs, search, theme, keyboard. */
import type { TargetedKeyboardEvent } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Model } from './data/model.ts'
import { pageTitle } from './page_title.ts'
import { Guard } from './parts/layout/error_boundary.tsx'
import { Help } from './parts/page/help.tsx'
import { useKeys } from './parts/page/keys.ts'
import { LiveStatus } from './parts/page/live_status.tsx'
import { nextTheme, useTheme } from './parts/page/theme.ts'
import { amendRoute, navigate, type Route, routeLink, useRoute } from './route.ts'
import { restorePosition } from './scroll_position.ts'
import { activeTab, listTabs, renderView } from './tabs.tsx'

export function App({ model }: { model: Model }) {
  const route = useRoute()
  const [help, setHelp] = useState(false)
  const [theme, setTheme] = useTheme()
  const search = useRef<HTMLInputElement>(null)
  const main = useRef<HTMLElement>(null)
  const nav = useRef<HTMLElement>(null)
  const tabs = listTabs(model)
  const place = route.path.join('/')
  // a new view starts at its top, a revisited one at its last position
  useLayoutEffect(() => restorePosition(place), [place])
  // the focused element disappears with its view, so the focus moves to the start of the new one
  const isFirst = useRef(true)
  useLayoutEffect(() => {
    if (!isFirst.current && document.activeElement === document.body) main.current?.focus({ preventScroll: true })
    isFirst.current = false
  }, [place])
  // on a narrow screen the open tab scrolls into sight; scrollIntoView would also move the page
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
    document.title = pageTitle(model, route)
  }, [place, model])
  useKeys((event) => {
    const number = Number(event.key)
    if (event.key === '/') {
      event.preventDefault()
      search.current?.focus()
    } else if (event.key === '?') setHelp(true)
    else if (event.key === 't') setTheme(nextTheme(theme))
    else if (event.key === 'u') navigate(parentAddress(route))
    else if (number > 0 && tabs[number - 1] !== undefined) navigate(tabs[number - 1]?.address ?? '#/')
  })
  const searches = model.page.without_benchmark !== true
  const searchable = ['', 'runs', 'triggers', 'compare'].includes(place)
  const find = (text: string) =>
    searchable ? amendRoute(route, { q: text }) : navigate(routeLink(['runs'], { q: text }))
  // a browser empties the box by itself and leaves the filter active
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
            <a key={name} href={address} aria-current={name === activeTab(model, route) ? 'page' : undefined}>
              {label}
            </a>
          ))}
        </nav>
        {searches && (
          <input
            ref={search}
            type="search"
            placeholder={place === 'runs' ? 'Search, such as status:failed cost>0.1' : 'Search'}
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
        <Guard key={place}>{renderView(model, route)}</Guard>
      </main>
      <LiveStatus />
      {help && <Help close={() => setHelp(false)} />}
    </>
  )
}

function parentAddress({ path: [first, id] }: Route): string {
  return first === 'run' && id !== undefined ? routeLink(['case', id]) : '#/'
}
