import { hash, randomBytes } from 'node:crypto'

/** How every token begins, so that people and scanners of leaked secrets know one when they see it. */
export const tokenPrefix = 'landform_'

/** Makes a text that nobody guesses: 43 characters, 256 bits. */
export function makeSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** Gives what is kept of a session's or a token's text: its SHA-256. It needs no salt, as nobody chose the text. */
export function digestSecret(secret: string): string {
  return hash('sha256', secret, 'hex')
}
