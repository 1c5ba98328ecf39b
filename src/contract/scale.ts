import { patterns } from './schema/pattern.ts'
import { Type } from './schema/type.ts'

/** Returns the schema of a scale: `1 : 10000`, or its denominator as a number; null for no limit. */
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

/** Returns the denominator of a valid scale, as an integer. */
export function scaleDenominator(scale: string | number): number {
  return Math.round(typeof scale === 'number' ? scale : Number(scale.slice(scale.indexOf(':') + 1)))
}

/** Formats a scale as in responses: `1 : 10000`. */
export function formatScale(scale: string | number): string {
  return `1 : ${BigInt(scaleDenominator(scale))}`
}
