/** How a name is made different from others. */
export interface NameChoice {
  readonly isTaken: (name: string) => boolean
  /** The first number tried behind the name. */
  readonly firstNumber?: number
}

/** Returns the wanted name, or that name with the first free number behind it: `name_1`. */
export function uniqueName(wanted: string, { isTaken, firstNumber = 1 }: NameChoice): string {
  if (!isTaken(wanted)) return wanted
  for (let number = firstNumber; ; number += 1) {
    const name = `${wanted}_${number}`
    if (!isTaken(name)) return name
  }
}

/** Returns a name that differs from the given ones in more than upper and lower case. */
export function uniqueNameIgnoringCase(wanted: string, names: readonly string[]): string {
  const taken = new Set(names.map((name) => name.toLowerCase()))
  return uniqueName(wanted, { isTaken: (name) => taken.has(name.toLowerCase()) })
}
