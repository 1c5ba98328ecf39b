/** Patterns of strings in the contract. */
export const patterns = {
  printable: '^[\\x20-\\x7e]+$',
  visible: '^[^\\p{Cc}\\p{Zl}\\p{Zp}\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]+$',
  printableWithoutSpaces: '^[\\x21-\\x7e]+$',
  port: '^[0-9]{1,5}$',
  scale: '^1 ?: ?[0-9]*[1-9][0-9]*$',
  login: '^[A-Za-z][A-Za-z0-9_-]*$',
  language: '^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$',
  url: '^https?://\\S+$',
  link: '^(https?://\\S+)?$',
  uuid: '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$',
  notBlank: '\\S',
  trimmed: '^\\S([\\s\\S]*\\S)?$',
} as const

const words: Readonly<Record<keyof typeof patterns, string>> = {
  printable: 'printable ASCII',
  visible: 'text in one line, without control and direction characters',
  printableWithoutSpaces: 'printable ASCII without spaces',
  port: 'a port',
  scale: 'a scale such as 1 : 10000',
  login: 'a letter followed by letters, digits, _ and -',
  language: 'a language tag such as en or pt-BR',
  url: 'an http or https URL without spaces',
  link: 'an http or https URL without spaces',
  uuid: 'a UUID',
  notBlank: 'a string with a visible character',
  trimmed: 'a string without blanks at its start and end',
}

/** Finds the description of a pattern. */
export function findPatternWords(pattern: string): string | undefined {
  const name = Object.entries(patterns).find(([, one]) => one === pattern)?.[0]
  return name === undefined ? undefined : words[name as keyof typeof patterns]
}
