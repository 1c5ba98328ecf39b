import { describe, expect, it } from 'vitest'
import { formatWkt } from '../../../src/geo/wkt.ts'
import { type Cql2Property, type Cql2Scope, parseCql2 } from '../../../src/ogc/cql2/cql2_parse.ts'

const scope: Cql2Scope = {
  properties: new Map<string, Cql2Property>([
    ['id', 'id'],
    ['geometry', 'geometry'],
    ...['name', 'people', 'height', 'seen', 'a b', 'in'].map((field): [string, Cql2Property] => [
      field,
      { field },
    ]),
  ]),
  place: (geometry) => ({ geometry, srs: 4326 }),
}

/** Parses a filter, and writes it with parentheses around every condition. */
function show(text: string): string {
  return write(parseCql2(text, scope))
}

function write(expression: ReturnType<typeof parseCql2>): string {
  const { kind } = expression
  if (kind === 'and' || kind === 'or') return `(${expression.items.map(write).join(` ${kind} `) || kind})`
  if (kind === 'not') return `!${write(expression.item)}`
  if (kind === 'compare') {
    const side = (operand: object) => Object.values(operand).join()
    const sign = expression.matchCase ? expression.operator : `${expression.operator}~`
    return `[${side(expression.left)} ${sign} ${side(expression.right)}]`
  }
  if (kind === 'between') return `[${expression.field} ${expression.lower}..${expression.upper}]`
  if (kind === 'like')
    return `[${expression.field} like${expression.matchCase ? '' : '~'} ${expression.pattern}]`
  if (kind === 'null') return `[${expression.field} null]`
  if (kind === 'ids') return `[ids ${expression.ids.join()}]`
  if (kind === 'spatial') return `[${expression.operator} ${formatWkt(expression.geometry).slice(0, 40)}]`
  return `[${kind}]`
}

describe('CQL2 text', () => {
  it.each([
    ["name = 'Oslo'", '[name = Oslo]'],
    ["name <> 'D''Or'", "[name <> D'Or]"],
    ['people>=-1.5e3', '[people >= -1.5e3]'],
    ['100 < people', '[100 < people]'],
    ['"a b" = 1 AND "in" = 2', '([a b = 1] and [in = 2])'],
    ["people = 1 or name = 'x' and not height < 2", '([people = 1] or ([name = x] and ![height < 2]))'],
    ["(people = 1 OR people = 2) AND name LIKE 'O%'", '(([people = 1] or [people = 2]) and [name like O%])'],
    ["CASEI(name) LIKE casei('o%')", '[name like~ o%]'],
    ["CASEI(name) = 'oslo'", '[name =~ oslo]'],
    ['people NOT BETWEEN 1 AND 5 AND height IS NOT NULL', '(![people 1..5] and ![height null])'],
    ["name NOT IN ('a','b')", '!([name = a] or [name = b])'],
    ['geometry IS NULL', '[no-geometry]'],
    ['id = 7', '[ids 7]'],
    ['id IN (7, 8)', '([ids 7] or [ids 8])'],
    [
      "seen >= TIMESTAMP('2020-01-01T00:00:00Z') and seen < DATE('2021-01-01')",
      '([seen >= 2020-01-01T00:00:00Z] and [seen < 2021-01-01])',
    ],
    ['S_INTERSECTS(geometry, POINT(10 60))', '[intersects POINT(10 60)]'],
    ['s_within(geometry,POLYGON((0 0,1 0,1 1,0 0)))', '[within POLYGON((0 0,1 0,1 1,0 0))]'],
    ['S_CONTAINS(POLYGON((0 0,1 0,1 1,0 0)), geometry)', '[within POLYGON((0 0,1 0,1 1,0 0))]'],
    ['S_INTERSECTS(geometry, LINESTRING Z (0 0 1, 1 1 1))', '[intersects LINESTRING Z (0 0 1,1 1 1)]'],
    ['height = people', '[height = people]'],
    ['TRUE', '(and)'],
    ['not false', '!(or)'],
  ])('%s is %s', (text, expected) => {
    expect(show(text)).toBe(expected)
  })

  it('has boxes with many positions on each edge', () => {
    const filter = parseCql2('S_INTERSECTS(geometry, BBOX(0,0,32,32))', scope)
    expect(filter).toMatchObject({ kind: 'spatial', geometry: { parts: [[expect.any(Array)]] } })
  })

  it.each([
    ['', 1, 'expected a property or value, got the end'],
    ["nme = 'x'", 1, 'the collection has no property "nme"'],
    ["name = 'x", 8, 'the quotation mark is not closed'],
    ['name = ', 8, 'expected a property or value, got the end'],
    ['people = 1 people = 2', 12, 'expected an operator such as AND, got "people"'],
    ['people # 1', 8, 'unexpected "#"'],
    ['(people = 1', 12, 'expected ")", got the end'],
    ['people + 1 = 2', 8, 'expected a comparison, got "+"'],
    ['avg(people) = 2', 1, 'the function avg is not supported'],
    ['S_CROSSED(geometry, POINT(0 0))', 1, 'the function S_CROSSED is not supported'],
    ['S_INTERSECTS(geometry, POINT(0))', 24, 'POINT'],
    ['S_INTERSECTS(geometry, POINT(0 0)', 34, 'expected ")", got the end'],
    ['S_INTERSECTS(POINT(0 0), POINT(0 0))', 1, 'needs the geometry of the features'],
    ['S_INTERSECTS(geometry, BBOX(1,2,3))', 28, 'BBOX needs four or six numbers'],
    ['id > 7', 1, 'ids are compared with whole numbers'],
    ['1 = 2', 1, 'a comparison needs a property'],
    ['geometry = 2', 1, 'expected a property'],
    [`${'('.repeat(100)}people = 1`, 62, 'nested more than 60 times'],
  ])('%s is refused at character %i', (text, character, message) => {
    const parse = () => parseCql2(text, scope)
    expect(parse).toThrow(message)
    expect(parse).toThrow(expect.objectContaining({ data: { location: ['query', 'filter'], character } }))
  })

  it('refuses lists that are too long', () => {
    expect(() => parseCql2(`name in (${"'a',".repeat(1000)}'b')`, scope)).toThrow(
      'IN has more than 1000 values',
    )
  })

  it('refuses filters that are too long', () => {
    expect(() => parseCql2(' '.repeat(70_000), scope)).toThrow('the limit is 65536')
  })
})
