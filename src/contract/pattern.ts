/** Patterns of strings in the contract. */
export const patterns = {
  printable: '^[\\x20-\\x7e]+$',
  printableWithoutSpaces: '^[\\x21-\\x7e]+$',
  port: '^[0-9]{1,5}$',
  scale: '^1 ?: ?[0-9]*[1-9][0-9]*$',
  login: '^[A-Za-z][A-Za-z0-9_-]*$',
  language: '^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$',
} as const

const words: Readonly<Record<keyof typeof patterns, string>> = {
  printable: 'printable ASCII',
  printableWithoutSpaces: 'printable ASCII without spaces',
  port: 'a port',
  scale: 'a scale such as 1 : 10000',
  login: 'a letter followed by letters, digits, _ and -',
  language: 'a language tag such as en or pt-BR',
}

/** Finds the description of a pattern. */
export function findPatternWords(pattern: string): string | undefined {
  const name = Object.entries(patterns).find(([, one]) => one === pattern)?.[0]
  return name === undefined ? undefined : words[name as keyof typeof patterns]
}
