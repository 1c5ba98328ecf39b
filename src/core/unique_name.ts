/** Options of a unique name. */
export interface UniqueNameOptions {
  readonly isTaken: (name: string) => boolean
  /** First number to try as a suffix. */
  readonly firstNumber?: number
}

/** Returns the wanted name, or the name with the first free number as a suffix: `name_1`. */
export function uniqueName(wanted: string, { isTaken, firstNumber = 1 }: UniqueNameOptions): string {
  if (!isTaken(wanted)) return wanted
  for (let number = firstNumber; ; number += 1) {
    const name = `${wanted}_${number}`
    if (!isTaken(name)) return name
  }
}

/** Returns a name that differs from given ones even if case is ignored. */
export function uniqueNameIgnoringCase(wanted: string, names: readonly string[]): string {
  const taken = new Set(names.map((name) => name.toLowerCase()))
  return uniqueName(wanted, { isTaken: (name) => taken.has(name.toLowerCase()) })
}
