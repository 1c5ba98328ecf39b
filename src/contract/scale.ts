import { patterns } from './pattern.ts'
import { Type } from './type.ts'

/** Schema of a scale: `1 : 10000`, or its denominator as a number; null for none. */
export function scaleField(description: string) {
  return Type.Optional(
    Type.Unsafe<string | number | null>({
      type: ['string', 'number', 'null'],
      pattern: patterns.scale,
      maxLength: 20,
      minimum: 1,
      maximum: 999_999_999_999_999,
      default: null,
      'x-form': 'scale',
      description,
    }),
  )
}

/** Gives the denominator of a scale that fits the schema, as a whole number. */
export function scaleDenominator(scale: string | number): number {
  return Math.round(typeof scale === 'number' ? scale : Number(scale.slice(scale.indexOf(':') + 1)))
}

/** Writes a scale the one way answers have it: `1 : 10000`. */
export function formatScale(scale: string | number): string {
  return `1 : ${BigInt(scaleDenominator(scale))}`
}
