/** Moves the home of a run into the world of its task. */

/** The variables with another home: those below the old one, such as XDG_CONFIG_HOME, move along. Pure. */
export function moveHome(own: Readonly<Record<string, string>>, home: string): Record<string, string> {
  const moved = Object.entries(own).map(([name, value]) => [name, own.HOME ? value.replace(own.HOME, home) : value])
  return { ...Object.fromEntries(moved), HOME: home }
}
