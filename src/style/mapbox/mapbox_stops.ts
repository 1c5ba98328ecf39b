import type { Expression, Value } from '../expression/expression.ts'

/** Scale denominator of zoom level 0 of tiles of 512 pixels, as in Mapbox GL, in pixels of 1/96 inch. */
export const worldScale = (2 * Math.PI * 6_378_137) / 512 / (0.0254 / 96)

/** A value from a position on. */
export interface Stop {
  readonly at: number
  readonly value: Expression
}

const literal = (value: Value): Expression => ({ op: 'literal', value })

/** Zoom level of the scale of the map. */
export const zoomLevel: Expression = {
  op: 'call',
  name: 'log',
  operands: [
    literal(2),
    { op: 'binary', operator: '/', left: literal(worldScale), right: { op: 'variable', name: 'map_scale' } },
  ],
}

/** Returns the value of the last stop that an input has reached, or of the first one; null without an input. */
export function stepStops(input: Expression, stops: readonly Stop[]): Expression {
  const branches = stops.flatMap(({ value }, at) => {
    const next = stops[at + 1]
    return next === undefined ? [] : [{ when: compare('<', input, next.at), result: value }]
  })
  return {
    op: 'case',
    branches: [without(input), ...branches],
    otherwise: stops.at(-1)?.value ?? literal(null),
  }
}

/** Interpolates numbers between stops, with differences that grow by a factor; null without an input. */
export function interpolateStops(input: Expression, stops: readonly Stop[], base: number): Expression {
  const [first] = stops
  const branches = stops.flatMap((stop, at) => {
    const next = stops[at + 1]
    return next === undefined
      ? []
      : [{ when: compare('<', input, next.at), result: between(input, [stop, next], base) }]
  })
  const start = first === undefined ? [] : [{ when: compare('<=', input, first.at), result: first.value }]
  const otherwise = stops.at(-1)?.value ?? literal(null)
  return { op: 'case', branches: [without(input), ...start, ...branches], otherwise }
}

const without = (input: Expression) => ({
  when: { op: 'binary', operator: 'is', left: input, right: literal(null) } as const,
  result: literal(null),
})

const compare = (operator: '<' | '<=', left: Expression, at: number): Expression => ({
  ...{ op: 'binary', operator, left },
  right: literal(at),
})

const binary = (operator: '+' | '-' | '*' | '/' | '^', left: Expression, right: Expression): Expression => ({
  ...{ op: 'binary', operator, left, right },
})

function between(input: Expression, [from, to]: readonly [Stop, Stop], base: number): Expression {
  const distance = binary('-', input, literal(from.at))
  const length = to.at - from.at
  const part =
    base === 1
      ? binary('/', distance, literal(length))
      : binary(
          '/',
          binary('-', binary('^', literal(base), distance), literal(1)),
          literal(base ** length - 1),
        )
  return binary('+', from.value, binary('*', binary('-', to.value, from.value), part))
}
