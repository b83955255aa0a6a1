/** A table asked with a word from outside: `constructor` and `__proto__` are in every object, and in no table. */
export function own<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined
}
