/** benchmark.json without moments, durations and the numbers of conversations, as text. */
export function upToTiming(folder: string): string
