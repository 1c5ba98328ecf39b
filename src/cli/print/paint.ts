import { styleText } from 'node:util'

/** Colours text, or returns it unchanged. */
export type Paint = (
  colour: 'green' | 'yellow' | 'red' | 'cyan' | 'magenta' | 'dim' | 'bold',
  text: string,
) => string

/** Returns a function that colours text, or one that does not. */
export function painter(colour: boolean): Paint {
  return colour ? (format, text) => styleText(format, text, { validateStream: false }) : (_, text) => text
}
