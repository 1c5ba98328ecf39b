import { styleText } from 'node:util'

/** Colours text, or leaves it plain. */
export type Paint = (
  colour: 'green' | 'yellow' | 'red' | 'cyan' | 'magenta' | 'dim' | 'bold',
  text: string,
) => string

/** Gives a painter that colours, or one that does not. */
export function painter(colour: boolean): Paint {
  return colour ? (format, text) => styleText(format, text, { validateStream: false }) : (_, text) => text
}
