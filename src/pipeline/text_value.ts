import { datatypeCodecs } from '../contract/datatype_codec.ts'
import type { Datatype } from '../contract/geometry.ts'

/**
 * Checks a text against a datatype.
 *
 * @returns why the text is not a value of the datatype; undefined where it is one
 */
export function findTextFault(datatype: Datatype, text: string): string | undefined {
  const { parse, expected } = datatypeCodecs[datatype]
  if (parse(text) !== undefined) return undefined
  return datatype === 'STRING' ? 'holds a character that cannot be stored' : `"${text}" is not ${expected}`
}
