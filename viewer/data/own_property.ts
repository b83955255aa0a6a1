/** Looks up a word from outside: `constructor` and `__proto__` are in every object, but are not entries of a table. */
export function ownEntry<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined
}
