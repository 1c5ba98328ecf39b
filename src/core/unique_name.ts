/** Options of a unique name. */
export interface UniqueNameOptions {
  readonly isTaken: (name: string) => boolean
  /** First number to try as a suffix. */
  readonly firstNumber?: number
  /** Writes a number as a suffix. @default `_1` */
  readonly suffix?: (number: number) => string
}

const underscored = (number: number) => `_${number}`

/** Returns the wanted name, or the name with the first free number as a suffix: `name_1`. */
export function uniqueName(
  wanted: string,
  { isTaken, firstNumber = 1, suffix = underscored }: UniqueNameOptions,
): string {
  if (!isTaken(wanted)) return wanted
  for (let number = firstNumber; ; number += 1) {
    const name = wanted + suffix(number)
    if (!isTaken(name)) return name
  }
}

/** Returns a name that differs from given ones even if case is ignored. */
export function uniqueNameIgnoringCase(wanted: string, names: readonly string[]): string {
  const taken = new Set(names.map((name) => name.toLowerCase()))
  return uniqueName(wanted, { isTaken: (name) => taken.has(name.toLowerCase()) })
}
