/** The theme: light, dark, or as the system; stored if the browser allows it. */
import { useLayoutEffect, useState } from 'preact/hooks'

export type Theme = 'system' | 'light' | 'dark'

const order: Record<Theme, Theme> = { system: 'dark', dark: 'light', light: 'system' }

export function nextTheme(theme: Theme): Theme {
  return order[theme]
}

export function useTheme(): [Theme, (theme: Theme) => void] {
  const [theme, setTheme] = useState<Theme>(() => storedTheme())
  useLayoutEffect(() => {
    document.documentElement.dataset.theme = theme
    try {
      localStorage.setItem('whetstone-theme', theme)
    } catch {
      // some browsers store nothing for files: the theme lasts as long as the page
    }
  }, [theme])
  return [theme, setTheme]
}

function storedTheme(): Theme {
  try {
    const kept = localStorage.getItem('whetstone-theme')
    return kept === 'light' || kept === 'dark' ? kept : 'system'
  } catch {
    return 'system'
  }
}
